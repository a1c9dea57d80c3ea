"""What backend='cupy' refuses, and what it says where there is no GPU."""

import sys
from types import SimpleNamespace

import pytest
from device_models import hex_bundle
from scenes_of_tests import two_link_arm

import fibermsk as fm


def body_in_contact():
    """A bone welded to the ground, next to a fiber that touches it."""
    model = hex_bundle()
    bone = fm.Body("bone", shapes=fm.Capsule((0.0, 0.1, 0.0), (0.1, 0.1, 0.0), 0.01))
    model.add(bone, fm.Weld(model.ground, bone))
    model.add(fm.Contact(model.fibers[0], bone, fm.PenaltyContact(400.0, 3.0)))
    return model


def half_passes():
    """A bundle that touches by half passes."""
    return hex_bundle(formulation="half_pass")


@pytest.mark.parametrize(
    "model, message",
    [
        (two_link_arm, "joint 'shoulder'"),
        (body_in_contact, "contact of fiber 'fiber_0': second = body 'bone'"),
        (half_passes, "formulation = 'half_pass'"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_what_is_refused(model, message):
    with pytest.raises(fm.ModelError, match=message):
        fm.build(model(), backend="cupy")


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
