"""A fiber that softens: with the gradient of the stretch, stable below a length that is known."""

import numpy as np
import pytest
from titin_models import LENGTH, STRESS, HillStress, between, tissue, uneven

import fibermsk as fm


@pytest.mark.parametrize(("factor", "stable"), [(0.98, False), (1.02, True)])
def test_even_state_is_stable_below_the_critical_length(factor, stable):
    """Stretches 1 + c cos(pi s / L) cost (P' + S l_g^2 (pi / L)^2) c^2 / 4 of volume."""
    muscle = HillStress(1.0 / 1.2)
    slope = tissue(muscle).stress(1.0, 0.0, 1.0)[1]
    assert slope < -STRESS
    critical = LENGTH / np.pi * np.sqrt(-slope / STRESS)
    law = fm.StretchGradient(STRESS, factor * critical)
    system = fm.build(between(activation=1.0, tissue=tissue(muscle, gradient=law)))
    found = fm.stability(system, system.initial_state()[0])
    assert found.stable == stable


def test_width_of_the_transition_converges_with_the_mesh():
    """The fiber runs apart, with a profile that 24 elements resolve; without, none does."""
    muscle = HillStress(1.0 / 1.2)
    law = fm.StretchGradient(STRESS, 0.15 * LENGTH)
    own = tissue(muscle, gradient=law, stiffening=fm.Stiffening(5e3, 5.0))
    steepest = []
    for n in (12, 24):
        system = fm.build(between(activation=1.0, n=n, tissue=own))
        run = fm.simulate(system, uneven(system, 0.01), t_end=3.0, dt=1.0)
        fiber = run.fibers["f"]
        assert np.ptp(fiber.stretch[-1]) > 0.2
        slope = np.gradient(fiber.stretch[-1], fiber.theta)
        steepest.append(np.abs(slope).max())
    assert abs(steepest[1] / steepest[0] - 1.0) < 0.02, steepest


def test_power_of_the_fraction_leaves_out_what_is_not_muscle_alone():
    law = fm.StretchGradient(STRESS, 0.2 * LENGTH, power=1e4)
    own = tissue(gradient=law)
    for fraction, none in ((0.9, True), (1.0, False)):
        model = between(n=2, tissue=own, muscle_fraction=fraction)
        system = fm.build(model)
        y, v = uneven(system, 0.1)
        plain = fm.build(between(n=2, tissue=tissue(), muscle_fraction=fraction))
        assert (system.energy(y, v).elastic - plain.energy(y, v).elastic < 1e-12) == none
