"""Whole runs with arrays that behave like CuPy's, so that none of NumPy slips in between."""

import numpy as np
import pytest
from device_models import (
    chain,
    curved_fibers,
    driven,
    hex_bundle,
    mixed_bundle,
    pushed,
    upper_limb,
)
from numpy.testing import assert_array_equal
from strict import DISPATCHED, FUNCTIONS, StrictArray, strict_device

import fibermsk as fm
from fibermsk.gpu import DeviceSystem, host_device

SETTINGS = {"t_end": 0.02, "dt": 0.005}
FIXED = SETTINGS | {"control": fm.FixedSteps()}
MODELS = (mixed_bundle, curved_fibers, upper_limb, chain, driven, pushed)
METHODS = (fm.BackwardEuler(), fm.BDF2(), fm.SDIRK2(), fm.GeneralizedAlpha(0.8))


def test_strict_arrays_refuse_those_of_numpy():
    array = strict_device().xp.array(np.arange(3.0))
    assert isinstance(np.abs(array - 2.0 * array), StrictArray)
    assert float(array.max()) == 2.0
    with pytest.raises(TypeError):
        array + np.ones(3)
    with pytest.raises(TypeError):
        array[0:2] = np.ones(2)
    with pytest.raises(TypeError):
        np.asarray(array)
    with pytest.raises(TypeError):
        np.linalg.norm(array)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.name)
def test_runs(model, method):
    systems = [DeviceSystem(fm.build(model()), one) for one in (strict_device(), host_device())]
    assert isinstance(systems[0].initial_state()[0], StrictArray)
    found, expected = (fm.simulate(one, **FIXED, method=method) for one in systems)
    # GMRES orthogonalizes by other sums
    for name, fiber in expected.fibers.items():
        apart = np.abs(found.fibers[name].position - fiber.position).max()
        assert apart <= 1e-9 * np.abs(fiber.position).max()


def test_error_control_and_interpolated_frames():
    system = DeviceSystem(fm.build(curved_fibers()), strict_device())
    result = fm.simulate(system, **SETTINGS, control=fm.AdaptiveSteps(1e-3))
    assert result.status == "success"


def test_from_equilibrium_and_from_a_checkpoint():
    taken = []
    system = DeviceSystem(fm.build(hex_bundle()), strict_device())
    start = fm.equilibrium(system.host)
    whole = fm.simulate(system, start, **FIXED, checkpoint=taken.append, checkpoint_every=0.0)
    system = DeviceSystem(fm.build(hex_bundle()), strict_device())
    rest = fm.simulate(system, **FIXED, resume_from=taken[1])
    for name, fiber in whole.fibers.items():
        assert_array_equal(rest.fibers[name].position, fiber.position)


def test_a_failed_step_is_explained():
    system = DeviceSystem(fm.build(hex_bundle(squeeze=1e7)), strict_device())
    with pytest.raises(fm.ConvergenceError, match="fiber"):
        fm.simulate(system, **FIXED)


def test_cupy_has_these_functions():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed (extra gpu)")
    assert all(hasattr(cupy, name) for name in FUNCTIONS)
    assert all(hasattr(cupy, function.__name__) for function in DISPATCHED)
