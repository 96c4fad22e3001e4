"""What a sealed process must not be able to do and what it must, tried for real by processes that seal themselves off.

The attempts are in a module for each subject, `catalogue` collects them, and `trying` has them made.
"""

from __future__ import annotations

import errno

REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EMFILE)
"""The errors by which the kernel refuses something to a sealed process."""
