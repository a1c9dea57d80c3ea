"""What backend='cupy' refuses, and what it says where there is no GPU."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from device_models import hex_bundle

import fibermsk as fm


def test_a_model_without_fibers_is_refused():
    model = fm.Model("pendulum")
    model.add(fm.Body("bob", mass=1.0, com=(0.0, 0.0, 0.0), inertia=np.eye(3)))
    model.add(
        fm.Hinge("swing", model.ground, model.bodies[1], at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))
    )
    with pytest.raises(fm.ModelError, match="model 'pendulum': fibers = 'none'"):
        fm.build(model, backend="cupy")


def test_unknown_backend():
    with pytest.raises(fm.ModelError, match="must be 'cpu' or 'cupy'"):
        fm.build(hex_bundle(), backend="cuda")


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(fm.ModelError, match=r"pip install -e '\.\[gpu\]'"):
        fm.build(hex_bundle(), backend="cupy")


def test_without_a_gpu(monkeypatch):
    cuda = SimpleNamespace(is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setitem(sys.modules, "numba_cuda", SimpleNamespace())
    with pytest.raises(fm.ModelError, match="nvidia-smi"):
        fm.build(hex_bundle(), backend="cupy")


@pytest.mark.parametrize("change", ["quaternion", "function", "locked", "coupling"])
def test_joints_that_are_not_plain_are_refused(change):
    model = fm.Model("arm")
    bodies = [model.add(fm.Body(f"b{i}", 1.0, inertia=(1, 1, 1))) for i in range(2)]
    model.add(fm.Hinge("first", model.ground, bodies[0], (0, 0, 0), (1, 0, 0)))
    axis = fm.Axis("rotation", (1, 0, 0), (("q", fm.Polynomial([0, 1, 1])),))
    if change == "quaternion":
        model.add(fm.Spherical("second", *bodies, (0, 0, 0)))
    elif change == "function":
        model.add(fm.FunctionalJoint("second", *bodies, [fm.Coordinate("q")], [axis]))
    elif change == "locked":
        held = fm.Coordinate("q", locked=True)
        model.add(fm.Hinge("second", *bodies, (0, 0, 0), (1, 0, 0), coordinate=held))
    else:
        model.add(fm.Hinge("second", *bodies, (0, 0, 0), (1, 0, 0)))
        model.add(fm.Coupling("second", fm.Linear(), "first"))
    tissue = fm.Tissue(900.0, fm.KelvinVoigt(1e4, 1.0))
    ends = model.ground.at(1, 0, 0), bodies[1].at(0, 0, 0)
    model.add(fm.Fiber("f", attach=ends, radius=1e-3, n_elements=1, tissue=tissue))
    with pytest.raises(fm.ModelError, match="model 'arm': .*backend='cupy'.*use backend='cpu'"):
        fm.build(model, backend="cupy")
