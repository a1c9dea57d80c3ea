"""Methods whose whole run is one compiled loop."""

from fibermsk.solvers.compiled.explicit import Explicit as Explicit
from fibermsk.solvers.compiled.ndf import NDF as NDF

COMPILED = {method.name: method for method in (Explicit, NDF)}
"""Classes by their name on the command line; a scene gives the tolerance."""
