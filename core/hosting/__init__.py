"""Host processes: where agents that are not built in live, apart from the referee."""
