"""Ways to solve a model that the fuzzers draw from."""

import fibermsk as fm

METHODS = {
    "backward_euler": fm.BackwardEuler(),
    "bdf2": fm.BDF2(),
    "sdirk2": fm.SDIRK2(),
    "generalized_alpha": fm.GeneralizedAlpha(0.8),
}
CONTROLS = (
    fm.FixedSteps(),
    fm.FixedSteps(3),
    fm.AdaptiveSteps(1e-3),
    fm.AdaptiveSteps(1e-3, landing=False),
)
FORMULATIONS = ("variational", "half_pass")
