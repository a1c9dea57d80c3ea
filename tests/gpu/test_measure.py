"""The script that measures the GPU backend, with the host in the place of a GPU."""

from fibermsk.bench.gpu import measure
from fibermsk.gpu import host_device


def test_measure():
    figures = measure(3, 2, 1.0 / 1024.0, host_device(), compare=True)
    assert figures["elements"] == 60 and len(figures["steps"]) == 2
    assert all(step["seconds"] > 0.0 and step["newton"] > 0 for step in figures["steps"])
    assert figures["bodies"]["kernels.fibers.cable.add_tangent"]["launches"] > 1
    assert figures["difference"] < 1e-10
