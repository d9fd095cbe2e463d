"""The living picture: the graph of a step, its numbers epoch by epoch, and the component that draws them."""
