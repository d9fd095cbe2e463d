"""A finished record as text, HTML, JSON and tables."""
