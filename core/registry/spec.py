"""The former place of `sweepstakes.spec`."""

from sweepstakes.spec import Spec as Spec
