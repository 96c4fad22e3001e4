"""Resolve the specs of a tournament: agents, conditions and scores, and the plan that contains them."""
