"""Workers, times, memory, machine."""

import json
from itertools import cycle

import numpy as np
import pytest

from fibermsk.bench.measure import timing
from fibermsk.bench.measure.machine import PEERS, describe_machine, is_installed, versions
from fibermsk.bench.measure.memory import forget_peak, peak_memory
from fibermsk.bench.measure.timing import median_seconds, medians_in_turn
from fibermsk.bench.measure.worker import CallFailed, Worker


def test_worker_answers_whatever_prints():
    with Worker(3, MADE_UP="yes") as worker:
        assert worker.call("bench.working:add", a=1, b=2) == 3
        assert worker.call("bench.working:add", a=1.5, b=2) == 3.5
        assert worker.call("bench.working:threads") == ["3", "yes"]


def test_worker_tells_what_failed():
    with Worker() as worker:
        with pytest.raises(CallFailed, match="bench.working:fail: ValueError: too hot"):
            worker.call("bench.working:fail", message="too hot")
        assert worker.call("bench.working:add", a=1, b=1) == 2
        with pytest.raises(CallFailed, match=r"(?s)ended with status 3.*last words"):
            worker.call("bench.working:die")
        with pytest.raises(CallFailed, match="ended with status 3"):
            worker.call("bench.working:add", a=1, b=1)


def test_medians(monkeypatch):
    """By a clock that only the functions move."""
    now, calls = [0.0], []
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])

    def takes(*seconds):
        turn = cycle(seconds)

        def function():
            calls.append(seconds[0])
            now[0] += next(turn)

        return function

    # the first two calls warm up and tell how often to call
    assert median_seconds(takes(9.0, 1.0, 5e-3, 7e-3, 5.0), 3) == pytest.approx(7e-3)
    calls.clear()
    found = medians_in_turn({"a": takes(2e-5), "b": takes(3e-3)}, 3)
    assert found == pytest.approx({"a": 2e-5, "b": 3e-3})
    # a short function is called often
    assert (calls.count(2e-5), calls.count(3e-3)) == (2 + 3 * 100, 2 + 3)


def test_peak_memory_sees_what_is_freed():
    base = forget_peak()
    if base is None:
        pytest.skip("the peak cannot be measured anew on this system")
    np.ones(8_000_000).sum()  # 64 MB, freed at once
    assert 60e6 < peak_memory() - base < 90e6


def test_machine_and_versions():
    machine = describe_machine()
    assert machine["cores"] >= 1 and machine["cpu"] and machine["system"]
    found = versions()
    assert found["numpy"] == np.__version__ and found["fibermsk"]
    assert {name: value is not None for name, value in found.items() if name in PEERS} == {
        name: is_installed(name) for name in PEERS
    }
    json.dumps([machine, found])
