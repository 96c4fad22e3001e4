"""`python -m sweepstakes`."""

import os
import sys

if not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109 - before anything else is imported
    del sys.path[0]  # the working directory may have other people's files in it, such as click.py

from sweepstakes.cli.main import main

main()
