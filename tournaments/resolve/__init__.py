"""From the specs of a tournament to what they name: agents, conditions, scores, and the plan that has them."""
