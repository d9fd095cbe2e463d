"""One result for everybody who asks: caches with a bound, and one computation at a time, in a fair order."""
