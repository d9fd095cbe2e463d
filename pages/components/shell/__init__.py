"""What stands around every page: its frame, the view in its address, the controls, whose turn it is."""
