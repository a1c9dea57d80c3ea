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
