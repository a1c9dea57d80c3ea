"""Forces that rates change: differences of them are those of whole residuals, or there are none."""

from dataclasses import replace

import numpy as np
import pytest
import titin_models
from gpu.device_models import curved_fibers, hex_bundle, mixed_bundle
from joint_cases import functional_arm
from scenes_of_tests import two_link_arm
from tangents import moving_state

import fibermsk as fm


def rough_bundle():
    """Fibers that rub against each other."""
    rubbing = fm.Friction(0.3, speed=1e-2)
    return hex_bundle().copy(
        lambda one: replace(one, friction=rubbing) if isinstance(one, fm.Contact) else one,
    )


def bound_titin():
    """Titin, which has states at the quadrature points."""
    return titin_models.on_descending_limb(0.12)


MODELS = [
    mixed_bundle, hex_bundle, curved_fibers, rough_bundle, two_link_arm, functional_arm,
    bound_titin,
]  # fmt: skip


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_differences_are_those_of_residuals(make, rng):
    system = fm.build(make())
    y, v, v_dot = moving_state(system, rng)
    other = system.enforce(y, v + 0.1 * rng.normal(size=v.size), 0.2)
    rates = [(v, v_dot), (other, v_dot + rng.normal(size=v.size))]
    whole = [system.evaluate(0.2, y, *each, tangent=False).residual for each in rates]
    found = [system.rate_forces(0.2, y, *each) for each in rates]
    if make in (two_link_arm, curved_fibers, bound_titin):  # in few calls; no contact; states
        assert found == [None, None]
        return
    size = np.abs(whole).max()
    np.testing.assert_allclose(found[1] - found[0], whole[1] - whole[0], atol=1e-13 * size)
    assert np.abs(whole[1] - whole[0]).max() > 1e-6 * size
    if make in (mixed_bundle, hex_bundle):
        assert any(system.contact.n_closed())
        assert np.abs(found[0] - whole[0]).max() > 1e-3 * size  # contact is left out
