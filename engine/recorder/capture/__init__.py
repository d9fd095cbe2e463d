"""What torch did: every call of a step, every gradient that came back, and what the reader calls things."""
