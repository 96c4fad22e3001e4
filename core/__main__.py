"""`python -m sweepstakes`."""

from sweepstakes.cli.main import main

main()
