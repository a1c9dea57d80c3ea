"""Warnings name the line of the user, however deep in the package they are raised."""

import contextlib
import functools
import warnings
from pathlib import Path

import numpy as np
import pytest

import fibermsk as fm
from fibermsk import _warn

HERE = Path(__file__)


def of_package(text):
    """Functions of a module of the package that is made up."""
    scope = {"warn": _warn.warn, "contextlib": contextlib, "functools": functools}
    scope["__name__"] = "fibermsk.solvers.made_up"
    exec(compile(text, "<string>", "exec"), scope)  # as methods of dataclasses are
    return scope


DEEP = """
def at_once(): warn("told", UserWarning)
def deep(n=3): deep(n - 1) if n else warn("told", UserWarning)
@contextlib.contextmanager
def block():
    yield
    warn("told", UserWarning)
def in_block():
    with block(): pass
@functools.lru_cache
def kept(): warn("told", UserWarning)
def calling(function): function()
"""


def lines_of(call):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        call()
    assert told
    return [(Path(one.filename), one.lineno) for one in told]


@pytest.mark.parametrize("name", ["at_once", "deep", "in_block", "kept"])
def test_the_line_of_the_user_is_named(name):
    function = of_package(DEEP)[name]

    def call():
        function()

    line = call.__code__.co_firstlineno + 1
    assert lines_of(call) == [(HERE, line)]


def test_a_function_of_the_user_that_the_package_calls_is_named():
    scope = of_package(DEEP)

    def own():
        scope["at_once"]()

    line = own.__code__.co_firstlineno + 1
    assert lines_of(lambda: scope["calling"](own)) == [(HERE, line)]


def test_the_package_alone_has_its_outermost_line(monkeypatch):
    monkeypatch.setattr(_warn, "_is_own", lambda module: True)
    assert len(lines_of(of_package(DEEP)["deep"])) == 1


def test_warnings_of_building_and_reading_name_this_file(tmp_path):
    model = fm.Model("heavy")
    ball = model.add(fm.Body("ball", mass=1e5, inertia=(1.0, 1.0, 1.0)))
    model.add(fm.Hinge("turn", model.ground, ball, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    corners = "v 0 0 0\nv 300 0 0\nv 0 300 0\nv 0 0 300\n"
    (tmp_path / "big.obj").write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    found = lines_of(lambda: fm.build(model))
    found += lines_of(lambda: fm.read_mesh(tmp_path / "big.obj"))
    assert {file for file, _ in found} == {HERE}
    assert np.all([line > 0 for _, line in found])
