"""The contact law in kernels: a function of a row of constants, the second of which is the limit.

Kernels for user-defined laws are compiled from the same source with these two functions replaced;
see `fibermsk.kernels.contact.own_contact`.
"""

from __future__ import annotations

from fibermsk._compile import inlined_body, kernel
from fibermsk.laws.penalty import line_energy, line_force

_line_force = kernel(line_force)
_line_energy = kernel(line_energy)


@inlined_body
def law_force(gap, law_constants, law):
    """Line force [N/m] of a relative gap and its derivative; zero where the contact is open."""
    return _line_force(gap, law_constants[law, 0], law_constants[law, 1])


@inlined_body
def law_energy(gap, law_constants, law):
    """Energy [N/m] whose slope in the relative gap is minus the line force."""
    return _line_energy(gap, law_constants[law, 0], law_constants[law, 1])
