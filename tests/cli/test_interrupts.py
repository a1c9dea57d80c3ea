"""Signals during a run wait for what is being compiled."""

import os
import signal
import sys
import time
import weakref

import numba
import pytest
from llvmlite.binding import ExecutionEngine
from numba.core.codegen import CPUCodeLibrary

from fibermsk.cli.running.interrupts import interruptible


@pytest.fixture(autouse=True)
def usual_handlers():
    # a background job of a shell is started with SIGINT ignored
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
# the first is called from a callback of LLVM, out of which no exception comes
@pytest.mark.parametrize(
    ("owner", "place"),
    [(ExecutionEngine, "_find_module_ptr"), (CPUCodeLibrary, "_optimize_final_module")],
)
def test_signal_while_compiling_waits_until_it_is_done(monkeypatch, capfd, number, owner, place):
    usual, sent = getattr(owner, place), []

    def watched(self, *arguments):
        if not sent:
            sent.append(number)
            os.kill(os.getpid(), number)
        return usual(self, *arguments)

    @numba.njit
    def double(x):
        return 2.0 * x

    monkeypatch.setattr(owner, place, watched)
    with pytest.raises(KeyboardInterrupt), interruptible():
        double(1.0)
        pytest.fail("went on after the signal")
    assert sent == [number]
    # compiled whole, so that it can be called, and no exception was lost on the way
    assert double.signatures and double(3.0) == 6.0
    assert capfd.readouterr().err == "interrupted: ends once what is now compiled is done\n"


def test_signal_between_is_raised_at_once_and_handlers_are_put_back():
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    for number in (signal.SIGINT, signal.SIGTERM):
        with pytest.raises(KeyboardInterrupt), interruptible():
            signal.raise_signal(number)
            pytest.fail("went on after the signal")
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_ignored_ctrl_c_stays_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interruptible():
        signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_an_interrupt_that_a_finalizer_loses_is_raised_again(monkeypatch):
    """Python prints what a callback of a weak reference raises, and goes on."""
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lambda info: lost.append(info.exc_type))

    class Thing:
        pass

    def interrupt(dead):
        signal.raise_signal(signal.SIGTERM)
        time.sleep(0.01)

    with interruptible() as check:
        check()
        thing = Thing()
        seen = weakref.ref(thing, interrupt)
        del thing
        assert seen() is None and lost == [KeyboardInterrupt]
        with pytest.raises(KeyboardInterrupt):
            check()
        check()
