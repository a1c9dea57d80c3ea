"""From a model to a system on a processor of choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from fibermsk import _check
from fibermsk.model import Model
from fibermsk.system import FiberSystem
from fibermsk.system import build as build_for_cpu

if TYPE_CHECKING:
    from fibermsk.gpu import DeviceSystem

__all__ = ["BACKENDS", "build"]

BACKENDS = ("cpu", "cupy")


@overload
def build(model: Model, backend: Literal["cpu"] = "cpu") -> FiberSystem: ...


@overload
def build(model: Model, backend: Literal["cupy"]) -> DeviceSystem: ...


def build(model: Model, backend: str = "cpu") -> FiberSystem | DeviceSystem:
    """Number a model, check what only its geometry shows, and allocate.

    Parameters
    ----------
    model : Model
        The description; it is not changed and not kept in sync.
    backend : {"cpu", "cupy"}
        Where the system computes: on the CPU, or with CuPy and numba-cuda on an NVIDIA GPU, which
        is meant for many thousand fibers; see ``docs/gpu.md``.

    Returns
    -------
    system : FiberSystem or DeviceSystem
        Ready for `simulate`, and that of the CPU for `equilibrium`; the other one's `host` is one
        of the CPU.

    Raises
    ------
    ModelError
        If the model is incomplete, a path misses its attachment, or a fiber starts inadmissibly
        deep in a bone or in another fiber; for a GPU, if it has no fibers or there is none.

    Warns
    -----
    ModelWarning
        If a number is hardly meant, such as an angle in degrees, or line muscles exert no force.
    """
    _check.choice("build", "backend", backend, BACKENDS)
    if backend == "cpu":
        return build_for_cpu(model)
    from fibermsk.gpu import DeviceSystem, cupy_device, refuse_unsupported

    _check.instance("build", "model", model, Model, "a Model")
    model.validate()
    refuse_unsupported(model)
    device = cupy_device()
    return DeviceSystem(build_for_cpu(model), device)
