"""Pictures, charts, tables and words: what is drawn from results, without a question to the reader."""
