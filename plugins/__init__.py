"""Everything built in, through the public hooks only."""
