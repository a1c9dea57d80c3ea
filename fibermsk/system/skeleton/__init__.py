"""Joint axes and bodies as functions of the generalized coordinates."""
