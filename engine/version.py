"""The version, where a report can name it too."""

__version__ = "1.0.0"
