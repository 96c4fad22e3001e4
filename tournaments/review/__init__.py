"""The review of a whole run: the audit of each agent, its worst decisions, and where its games were lost."""
