"""The parallel twin of each kernel writes and returns what its serial version does."""

import importlib
import pkgutil
from dataclasses import replace
from types import FunctionType

import numpy as np
import pytest
import pyvista
from numpy.testing import assert_array_equal
from scenes_of_tests import rubber, two_link_arm

import fibermsk as fm
from fibermsk.system.contact.distance_grid import signed_distance

pytestmark = pytest.mark.slow


def parallel_kernels():
    """All wrappers made by `fibermsk._compile.parallel`, by name."""
    found = {}
    for info in pkgutil.walk_packages(fm.__path__, "fibermsk."):
        if not info.name.startswith(("fibermsk.kernels", "fibermsk.linalg")):
            continue
        for value in vars(importlib.import_module(info.name)).values():
            if isinstance(value, FunctionType) and hasattr(value, "shared"):
                found[f"{value.__module__}.{value.__name__}"] = value
    return found


def copied(value):
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        own = [copied(one) for one in value]
        return type(value)(*own) if hasattr(value, "_fields") else tuple(own)
    return value


def assert_same(one, other):
    if isinstance(one, tuple):
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    else:
        assert_array_equal(one, other)


@pytest.fixture
def checked(monkeypatch):
    """Names of the kernels called so far; each call is compared with its parallel twin."""
    called = set()
    for name, call in parallel_kernels().items():
        cells = dict(zip(call.__code__.co_freevars, call.__closure__, strict=True))

        def compare(*arguments, name=name, call=call):
            serial, twin = copied(arguments), copied(arguments)
            assert_same(call.alone(*serial), call.shared(*twin))
            assert_same(serial, twin)
            called.add(name)
            return call.alone(*arguments)

        for version in ("alone", "shared"):
            monkeypatch.setattr(cells[version], "cell_contents", compare)
    return called


def fiber_on_mesh():
    sphere = pyvista.Icosphere(radius=0.05, nsub=2)
    model = fm.Model("mesh", gravity=(0.0, 0.0, -9.81))
    bone = fm.Body(
        "bone", mass=1.0, inertia=(1e-3,) * 3, shapes=fm.Mesh(sphere.points, sphere.regular_faces)
    )
    model.add(bone, fm.Hinge("spin", model.ground, bone, at=(0, 0, 0), axis=(0, 1, 0)))
    fiber = fm.Fiber(
        "fiber",
        attach=(model.ground.at(-0.1, 0.0, 0.056), model.ground.at(0.1, 0.0, 0.056)),
        radius=0.005,
        muscle_fraction=1.0,
        n_elements=6,
        tissue=replace(
            rubber(100.0),
            bending=1.0,
            titin=fm.Titin(1e4),
            gradient=fm.StretchGradient(1e4, 0.01),
        ),
    )
    law = fm.PenaltyContact(stiffness=400.0, limit=3.0)
    model.add(fiber, fm.Contact([fiber], [bone], law))
    return model


def driven_fiber():
    """A fiber whose activation is a state."""
    model = fm.Model("driven")
    ends = model.ground.at(0.0, 0.0, 0.0), model.ground.at(0.1, 0.0, 0.0)
    tissue = rubber(100.0, active=fm.ActiveStress(1e4))
    state = fm.ActivationDynamics(0.5)
    fiber = fm.Fiber(
        "fiber", attach=ends, radius=5e-3, n_elements=2, tissue=tissue, activation=state
    )
    model.add(fiber)
    return model


def with_friction(item):
    return replace(item, friction=fm.Friction(0.3, 1e-3)) if isinstance(item, fm.Contact) else item


def test_all_kernels(checked):
    """Arrays are still filled from earlier calls: what a twin leaves out differs."""
    arms = two_link_arm(), two_link_arm(formulation="variational")
    rubbing = two_link_arm().copy(with_friction)
    for model in (*arms, rubbing, fiber_on_mesh(), driven_fiber()):
        fm.simulate(fm.build(model), t_end=0.02, dt=0.005, method=fm.BDF2())
    signed_distance(fiber_on_mesh().bodies[-1].shapes[0])(np.array([[0.3, 0.0, 0.0]]))
    assert checked == set(parallel_kernels())
