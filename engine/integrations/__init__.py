"""The recorder where people already are: a notebook, a Lightning trainer, a Hugging Face trainer.

Each module imports its library, and nothing else here does.
"""
