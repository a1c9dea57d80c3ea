"""The parallel twins of kernels give what their serial versions give, from any workspace."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scenes_of_tests import two_link_arm

import fibermsk as fm
from fibermsk.system.contact import sets


def copied(value):
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        own = [copied(one) for one in value]
        return type(value)(*own) if hasattr(value, "_fields") else tuple(own)
    return value


@pytest.mark.parametrize("name", ["fill_tangents", "fill_gradients"])
def test_pair_potentials(monkeypatch, name):
    kernels, calls = sets.contact_kernels(None), []

    def record(*arguments):
        calls.append(copied(arguments))
        return getattr(kernels, name)(*arguments)

    monkeypatch.setattr(sets, "contact_kernels", lambda kind: kernels._replace(**{name: record}))
    system = fm.build(two_link_arm(elements=2, formulation="variational"))
    y, v = system.initial_state()
    system.evaluate(0.0, y, v, np.zeros_like(v), tangent=name == "fill_tangents")
    arguments = calls[-1]
    arguments[4].shares[:] = np.nan
    alone, shared = copied(arguments), copied(arguments)
    getattr(kernels, name).alone(*alone)
    getattr(kernels, name).shared(*shared)
    residual = [one for one in alone if isinstance(one, np.ndarray) and one.shape[-1:] == (6,)]
    twins = [one for one in shared if isinstance(one, np.ndarray) and one.shape[-1:] == (6,)]
    assert residual and all(np.isfinite(one).all() for one in twins)
    for one, twin in zip(residual, twins, strict=True):
        assert_array_equal(one, twin)
