"""From scores to standings: intervals, paired tests, ratings and ranks."""
