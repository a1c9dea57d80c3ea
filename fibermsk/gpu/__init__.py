"""GPU backend: the equations of `fibermsk.system` with arrays on a device."""

from fibermsk.gpu.device import Device, cupy_device, host_device
from fibermsk.gpu.refusals import refuse_unsupported
from fibermsk.gpu.system import DeviceSystem

__all__ = ["Device", "DeviceSystem", "cupy_device", "host_device", "refuse_unsupported"]
