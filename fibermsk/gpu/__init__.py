"""GPU backend: the equations of `fibermsk.system` with arrays on a device."""

from fibermsk.gpu.device import (
    Device as Device,
    cupy_device as cupy_device,
    host_device as host_device,
)
from fibermsk.gpu.refusals import refuse_unsupported as refuse_unsupported
from fibermsk.gpu.system import DeviceSystem as DeviceSystem
