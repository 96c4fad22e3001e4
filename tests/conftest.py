"""Property tests try the same examples every time, and no test is judged by the clock."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("sweepstakes", deadline=None, derandomize=True, database=None)
settings.load_profile("sweepstakes")
