"""A valid call of every public class and function."""

from computed import COMPUTED
from controlled import CONTROLLED
from described import DESCRIBED
from identified import IDENTIFIED
from parts import Call, Parts
from studied import STUDIED

__all__ = ["CALLS", "Call", "Parts"]

CALLS = DESCRIBED | COMPUTED | CONTROLLED | IDENTIFIED | STUDIED
