"""Operations are counted as they are, and only those that matter."""

from fibermsk.bench import roofline
from fibermsk.bench.measure.worker import Worker
from fibermsk.bench.roofline import _count, _Traced


def test_operations_that_the_result_depends_on():
    a, b = _Traced(2.0), _Traced(3.0)
    unused = a / b
    product = a * b
    result = 1.0 - product + product * -abs(a) + roofline._MATH.sqrt(b) ** 3.0
    assert float(result) == 1.0 - 6.0 - 12.0 + 3.0**1.5
    # one product, a difference, a product, a root, two sums
    assert _count([result]) == {"operations": 6, "functions": 1}
    assert _count([unused, 5.0]) == {"operations": 1, "functions": 0}


def test_work_of_the_assembly():
    with Worker(1, NUMBA_DISABLE_JIT="1") as worker:
        work = worker.call("fibermsk.bench.roofline:count_work")
    residual, tangent = work["cable_residual"], work["assemble_cable"]
    # inertia alone is 4 x 4 products and sums of three components
    assert 2 * 16 * 3 < residual["operations"] < tangent["operations"] < 10_000
    # two nodes of 6 numbers in three arrays, at least once
    assert 3 * 6 * 8 < residual["bytes"] < tangent["bytes"]
