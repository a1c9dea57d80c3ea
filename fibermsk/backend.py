"""Build a system from a model for the CPU or the GPU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, overload

from fibermsk import _check
from fibermsk.model import Model
from fibermsk.system import FiberSystem, build as build_for_cpu

if TYPE_CHECKING:
    from fibermsk.gpu import DeviceSystem

BACKENDS = ("cpu", "cupy")


@overload
def build(model: Model, backend: Literal["cpu"] = "cpu") -> FiberSystem: ...


@overload
def build(model: Model, backend: Literal["cupy"]) -> DeviceSystem: ...


def build(model: Model, backend: str = "cpu") -> FiberSystem | DeviceSystem:
    """Number a model, check its geometry, and allocate arrays.

    Parameters
    ----------
    model : Model
        The description; it is not changed and not kept in sync.
    backend : {"cpu", "cupy"}
        Where the system computes: on the CPU, or with CuPy and numba-cuda on an NVIDIA GPU, which
        is intended for many thousand fibers; see ``docs/gpu.md``.

    Returns
    -------
    system : FiberSystem or DeviceSystem
        Ready for `simulate`. `equilibrium` takes a `FiberSystem`, such as the `host` of a
        `DeviceSystem`.

    Raises
    ------
    ModelError
        If the model is incomplete, a path misses its attachment, or a fiber starts inadmissibly
        deep in a bone or in another fiber; on a GPU also if there are no fibers or there is no GPU.

    Warns
    -----
    ModelWarning
        If a value is implausible, such as an angle in degrees, or line muscles exert no force.
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
