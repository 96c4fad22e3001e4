"""The program `sweepstakes`, and its commands that need no tournament."""
