"""The parts of pages: each draws one section from the settings and the results it asks for."""
