"""What a run is told of afterwards: stress that no muscle bears, steps that get nowhere."""

import warnings

import numpy as np
import pytest

import fibermsk as fm


def pulled(modulus, meant=()):
    model = fm.Model("pulled", gravity=(0, 0, 0), meant=meant)
    end = fm.MovingPoint(lambda t: (0.1 + 0.2 * t, 0.0, 0.0))
    tissue = fm.Tissue(1060.0, fm.KelvinVoigt(modulus, 1e3), prestress=1e3)
    attach = model.ground.at(0, 0, 0), end
    model.add(fm.Fiber("long", attach=attach, radius=3e-3, n_elements=3, tissue=tissue))
    return fm.build(model)


def test_stress_that_no_muscle_bears_is_told_once_by_name():
    with pytest.warns(fm.ModelWarning, match="fiber 'long': the stress in its muscle") as found:
        result = fm.simulate(pulled(9e6), t_end=1.0, dt=0.1)
    (one,) = [w.message for w in found]
    assert (one.kind, one.fiber, one.time) == ("plausibility", "long", pytest.approx(1.0))
    fiber = result.fibers["long"]
    assert (fiber.axial_force / (np.pi * fiber.radius**2)).max() > 1e7


@pytest.mark.parametrize(("modulus", "meant"), [(1e5, ()), (9e6, ["muscle stress"])])
def test_what_is_plausible_or_meant_is_not(modulus, meant):
    with warnings.catch_warnings():
        warnings.simplefilter("error", fm.ModelWarning)
        fm.simulate(pulled(modulus, meant), t_end=1.0, dt=0.1)


def test_steps_that_get_nowhere_end_the_run(monkeypatch):
    monkeypatch.setattr("fibermsk.solvers.steps.adaptive._MOST_CRAWLS", 20)
    control = fm.AdaptiveSteps(1e-4, longest=1e-8)
    with pytest.raises(fm.ConvergenceError, match="20 steps in a row.*makes no progress") as error:
        fm.simulate(pulled(1e5), t_end=1.0, dt=0.1, control=control)
    assert error.value.result.time[-1] > 0.0
