"""What that means: frozen facts of a step, worked out once. Nothing here warns."""
