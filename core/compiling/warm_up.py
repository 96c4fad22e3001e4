"""The former place of `sweepstakes.warm_up`."""

from sweepstakes.warm_up import is_compiled as is_compiled
from sweepstakes.warm_up import warm_up as warm_up
