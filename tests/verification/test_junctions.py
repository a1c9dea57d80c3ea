"""The plane model that compares elements at jumps of the stiffness."""

import numpy as np
import pytest
from scenes_of_tests import ROOT


@pytest.fixture(scope="module")
def junctions():
    import sys

    sys.path.insert(0, str(ROOT / "verification"))
    try:
        import _junctions
    finally:
        sys.path.pop(0)
    return _junctions


def test_a_bar_with_a_jump_has_the_force_of_two_springs(junctions):
    """Both halves carry one force; a G1 node, or few stress points, find it exactly."""

    def excess(stretch, force, stiffness):
        return stiffness * (stretch - stretch**-2) - force

    from scipy.optimize import brentq

    def length(force):
        return 0.5 * sum(brentq(excess, 1.0, 5.0, args=(force, k), xtol=1e-15) for k in (1.0, 25.0))

    exact = brentq(lambda force: length(force) - 1.2, 1e-3, 2.0, xtol=1e-14)
    theta = np.linspace(0.0, 1.0, 5)
    _, ours, N = junctions.solve(junctions.bar(), theta)
    _, few, _ = junctions.solve(junctions.bar(), theta, 2)
    _, kinked, even = junctions.solve(junctions.bar(), theta, 5, [2])
    assert ours / exact - 1.0 == pytest.approx(0.039, abs=2e-3) and np.ptp(N) > exact
    assert few == pytest.approx(exact, rel=1e-10)
    assert kinked == pytest.approx(exact, rel=1e-10) and np.ptp(even) < 1e-8 * exact
