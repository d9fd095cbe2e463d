"""What two runs prove: sentences for an epoch, verdicts on a detach, what it costs, sweeps, finite differences."""
