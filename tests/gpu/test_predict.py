"""The model of the time of a step on a GPU: what it counts, and how it grows."""

import numpy as np
import pytest

from fibermsk.bench.gpu.metered import ARRAYS, Meter, Work
from fibermsk.bench.gpu.operations import count
from fibermsk.bench.gpu.predict import MACHINES, Costs, Sample, grown, predict, sample, table
from fibermsk.kernels.fibers.shape import fill_power

DT = 1.0 / 1024.0


def test_arrays_are_counted_once_read_and_twice_written():
    meter = Meter()
    device = meter.device()
    nodes, elements = (
        device.to_device(np.ones((3, 6))),
        device.to_device(np.array([[0, 1], [1, 2]])),
    )
    h, power = device.to_device(np.ones(2)), device.xp.zeros((2, 4, 3))
    meter.restart()
    device.launch(fill_power, 2, (nodes, elements, h, power))
    read, written = 3 * 6 + 2 * 2 + 2, 2 * 4 * 3
    assert meter.work["kernels.fibers.shape.fill_power"] == Work(1, 2, 8.0 * (read + 2 * written))
    # half of the tasks of a body that has two
    device.launch(fill_power, device.to_device(np.array([1])), (nodes, elements, h, power))
    assert meter.work["kernels.fibers.shape.fill_power"].bytes == 12.0 * (read + 2 * written)


def test_operations_waits_and_memory_are_counted():
    meter = Meter()
    device = meter.device()
    x = device.xp.zeros(1000)
    assert meter.live == 8000.0
    meter.restart()
    y = x + x
    assert meter.work[ARRAYS].bytes == 24000.0 and meter.live == 16000.0
    assert float(y.max()) == 0.0 and meter.waits == 1
    assert device.to_host(y[:10]).size == 10 and meter.waits == 2 and meter.copied == 80.0
    del y
    assert meter.live <= 8008.0 and meter.peak >= 16000.0


def test_growth_has_a_rim():
    samples = tuple(Sample(n, 1, [], {}, {}, 0, 0.0, 0.0) for n in (37, 91))

    def pairs(n):
        return 3.0 * n - 2.0 * np.sqrt(n)

    for n in (37, 91, 1000, 10**6):
        assert grown(n, samples, (pairs(37), pairs(91))) == pytest.approx(pairs(n), rel=1e-12)


def test_numbers_of_a_larger_bundle_are_predicted():
    """Bytes and memory of a bundle, from two smaller ones, per launch of each kernel."""
    small, large, found = (sample(n, DT) for n in (7, 19, 37))
    for name, work in found.step.items():
        before = [one.step[name].bytes / one.step[name].launches for one in (small, large)]
        predicted = grown(37, (small, large), (before[0], before[1]))
        assert predicted == pytest.approx(work.bytes / work.launches, rel=0.1), name
    memory = grown(37, (small, large), (small.peak, large.peak))
    assert memory == pytest.approx(found.peak, rel=0.05)
    # two halves of the elements in each iteration
    row = "kernels.fibers.cable.add_tangent"
    assert found.step[row].launches == 2 * found.newton


def test_predictions():
    operations = {"kernels.fibers.cable.add_tangent": 2.4e9}
    settings = {"samples": (7, 19), "operations": operations}
    found = predict((1000, 100_000), MACHINES["H200"], Costs(launch=1e-3), **settings)
    few, many = found["bundles"]
    assert few["launching"] == many["launching"] and few["fits"] and many["fits"]
    assert many["memory"] == pytest.approx(100.0 * few["memory"], rel=0.1)
    for one in (few, many):
        parts = one["working"] + one["launching"] + one["waiting"]
        assert one["seconds"] == pytest.approx(parts)
        (row,) = (each for each in one["kernels"] if each["kernel"] in operations)
        # so many operations take longer than the bytes
        assert row["working"] == pytest.approx(row["tasks"] * 2.4e9 / 33.5e12)
        assert row["launching"] == pytest.approx(1e-3 * row["launches"])
    assert "100000" in table(found) and "add_tangent" in table(found)


@pytest.mark.slow
def test_operations_of_a_task():
    found = count()
    # per node: inverse of a block, and products of blocks with 6 columns
    products, inverse = 3 * 6 * 72, 6 * 72 + 6 * 20
    expected = 21 * inverse + 20 * products
    assert found["linalg.lines.factor_one"] == pytest.approx(expected, rel=0.15)
    assert 1000 < found["kernels.fibers.cable.add_tangent"] < 5000
