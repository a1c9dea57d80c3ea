"""Calls as a `Worker` takes them, without a process: starting those takes most of a tiny bench."""

import json
from importlib import import_module

import numba
import pytest

from fibermsk.bench import kernels, parameters, scaling, skeleton, small, upper_limb, view
from fibermsk.bench.bundles import bundle
from fibermsk.bench.measure.worker import Worker
from fibermsk.bench.wraps import compare


class Here:
    """What is asked and answered passes through JSON, as in a worker; threads stay as they are."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def call(self, function, **arguments):
        module, _, name = function.partition(":")
        threads = numba.get_num_threads()
        try:
            found = getattr(import_module(module), name)(**json.loads(json.dumps(arguments)))
        finally:
            numba.set_num_threads(threads)
        return json.loads(json.dumps(found))


@pytest.fixture
def same_process(monkeypatch):
    """Benches call in this process; what needs variables of its own still has a worker."""

    def start(threads=None, **variables):
        return Worker(threads, **variables) if variables else Here()

    for module in (
        bundle, compare, kernels, parameters, scaling, skeleton, small, upper_limb, view,
    ):  # fmt: skip
        monkeypatch.setattr(module, "Worker", start)
