"""What backend='cupy' refuses, and what it says where there is no GPU."""

import sys
from types import SimpleNamespace

import pytest
from device_models import hex_bundle

import fibermsk as fm


def half_passes():
    """A bundle that touches by half passes."""
    return hex_bundle(formulation="half_pass")


def test_what_is_refused():
    with pytest.raises(fm.ModelError, match="formulation = 'half_pass'"):
        fm.build(half_passes(), backend="cupy")


def test_unknown_backend():
    with pytest.raises(fm.ModelError, match="must be 'cpu' or 'cupy'"):
        fm.build(hex_bundle(), backend="cuda")


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(fm.ModelError, match=r"pip install 'fibermsk\[gpu\]'"):
        fm.build(hex_bundle(), backend="cupy")


def test_without_a_gpu(monkeypatch):
    cuda = SimpleNamespace(is_available=lambda: False)
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda))
    monkeypatch.setitem(sys.modules, "numba_cuda", SimpleNamespace())
    with pytest.raises(fm.ModelError, match="nvidia-smi"):
        fm.build(hex_bundle(), backend="cupy")
