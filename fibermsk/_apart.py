"""Large compiled functions stay apart: they are not linked into their callers.

Numba links all that a kernel calls into it, and LLVM optimizes and compiles that once more there,
with all that it calls in turn, although it inlines no large function. A function that is apart is
compiled once: its callers refer to it by its name, which their process has to know before it loads
their code. So what is on disk of a kernel tells the functions apart that it calls, and these are
loaded first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import llvmlite.binding as llvm
from numba.core.bytecode import FunctionIdentity
from numba.core.compiler import CompileResult

from fibermsk._sources import sources_stamp

LARGE = 300
"""Instructions of a function that is apart; LLVM inlines functions of some fifty."""

Place = tuple[str, str]
"""Module and qualified name of a function."""


class Callee(NamedTuple):
    """Compiled version of a function apart: its name in machine code has its sources' digest."""

    place: Place
    sig: Any
    name: str


class Kept(NamedTuple):
    """What is on disk of a kernel: itself if it is apart, callees apart, and compiled code."""

    own: Callee | None
    callees: list[Callee]
    data: Any


_dispatchers: dict[Place, Any] = {}
_apart: WeakKeyDictionary[Any, Callee] = WeakKeyDictionary()
"""Libraries of machine code that are apart."""
_identities: dict[Any, int] = {}
"""Numbers that name functions which are being compiled."""


def may_be_apart(dispatcher: Any, function: Any) -> None:
    """Let the versions of a function be apart whose code depends on its sources alone."""
    place = function.__module__, function.__qualname__
    stamp = sources_stamp(function.__module__)
    if not stamp or function.__closure__ is not None or place in _dispatchers:
        return
    _dispatchers[place] = dispatcher
    # so that processes that compile it at once agree on its name
    digest = hashlib.sha256(f"{place} {stamp}".encode()).digest()
    identity, compiler = int.from_bytes(digest[:7], "big"), dispatcher._compiler
    compile_ = compiler.compile

    def compiled(args: Any, return_type: Any) -> Any:
        _identities[function] = identity
        try:
            return compile_(args, return_type)
        finally:
            _identities.pop(function, None)

    compiler.compile = compiled


def _name_by_sources() -> None:
    identity: Any = FunctionIdentity
    from_function = identity.from_function.__func__

    def named(cls: Any, function: Any) -> Any:
        self = from_function(cls, function)
        number = _identities.pop(function, None)
        if number is not None:
            self.unique_id, self.unique_name = number, f"{self.func_qualname}${number}"
        return self

    identity.from_function = classmethod(named)


_name_by_sources()


def settle(function: Any, sig: Any, compiled: Any) -> None:
    """Keep a new version of a function apart if it is large."""
    place = function.__module__, function.__qualname__
    dispatcher = _dispatchers.get(place)
    if dispatcher is None or dispatcher.py_func is not function:
        return
    own = compiled.library.get_function(compiled.fndesc.llvm_func_name)
    if _size(own) > LARGE:
        _keep_apart(compiled, Callee(place, sig, compiled.fndesc.llvm_func_name))


def reduce(compiled: Any) -> Kept:
    """What is to be kept of compiled code."""
    library = compiled.library
    own = _apart.get(library)
    if own is None:
        return Kept(None, list(_callees(library)), compiled._reduce())
    # with its bitcode, which tells what it defines
    nothing, library._shared_module = library._shared_module, None
    try:
        return Kept(own, list(_callees(library)), compiled._reduce())
    finally:
        library._shared_module = nothing


def rebuild(target_context: Any, kept: Any) -> Any:
    """Compiled code; None if a function apart that it calls is no longer there as it was."""
    if not isinstance(kept, Kept):  # of an earlier version
        return None
    libraries = []
    for callee in kept.callees:
        library = _load(callee)
        if library is None:
            return None
        libraries.append(library)
    compiled: Any = CompileResult._rebuild(target_context, *kept.data)
    for library in libraries:
        compiled.library.add_linking_library(library)
    if kept.own is not None:
        _keep_apart(compiled, kept.own)
    return compiled


def _load(callee: Callee) -> Any:
    module, _ = callee.place
    import_module(module)
    dispatcher = _dispatchers.get(callee.place)
    if dispatcher is None:
        return None
    dispatcher.compile(callee.sig)
    found = dispatcher.overloads[tuple(callee.sig)]
    return found.library if _apart.get(found.library) == callee else None


def _keep_apart(compiled: Any, callee: Callee) -> None:
    library = compiled.library
    _apart[library] = callee
    # what is linked into callers
    nothing = llvm.parse_assembly("")
    nothing.triple = library._final_module.triple
    nothing.data_layout = library._codegen._data_layout
    library._shared_module = nothing


def _callees(library: Any) -> Iterator[Callee]:
    """Functions apart that a library calls."""
    left, seen = list(library._linking_libraries), set()
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if one in _apart:
            yield _apart[one]
        else:
            left += one._linking_libraries


def _size(function: Any) -> int:
    """Number of instructions, up to a few more than are large."""
    count = 0
    for block in function.blocks:
        count += sum(1 for _ in block.instructions)
        if count > LARGE:
            break
    return count
