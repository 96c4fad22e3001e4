"""`python -m sweepstakes`."""

from sweepstakes.cli import main

main()
