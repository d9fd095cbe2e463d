"""The twins: an experiment written out as a script, trained without and with its detach, and one step of it recorded."""
