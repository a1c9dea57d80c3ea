"""The roofline: work as counted from the source, and ceilings of a plausible size."""

import json
import os
import subprocess
import sys
from pathlib import Path

from fibermsk.bench.roofline import Roofline, cable_work, roofline


def test_work_is_that_of_the_source():
    """The kernels' own source, run on symbols in a process that compiles nothing."""
    run = subprocess.run(
        [sys.executable, "-W", "ignore", str(Path(__file__).with_name("trace_work.py"))],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    counted = json.loads(run.stdout)
    assert len(counted) == 12
    for n_points, tangent, active, flops, exponentials in counted:
        work = cable_work(n_points, tangent=tangent, active=active)
        assert (work.flops, work.exponentials) == (flops, exponentials)


def test_bytes_are_those_of_the_arrays():
    """Numbers of 8 bytes: three states of a node, residual, element and points; lines."""
    per_element = 18 + 2 * 6 + 2 + 1 + 1 + 16
    assert cable_work(5, tangent=False).bytes == 8 * (per_element + 10 * 5)
    assert cable_work(3).bytes == 8 * (per_element + 10 * 3 + 2 * 3 * 36)


def test_ceiling():
    machine = Roofline(peak=40.0, bandwidth=20.0)
    assert machine.ceiling(100.0, 100.0) == 20.0
    assert machine.ceiling(1000.0, 100.0) == 40.0


def test_measured_ceilings():
    """In the caches, so that it is quick; a number or so an instruction at the least."""
    found = roofline(n_triad=20_000, repeats=2)
    assert 0.5 < found.peak < 1000.0
    assert 0.5 < found.bandwidth < 10_000.0
