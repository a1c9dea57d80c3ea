"""Numbers that do not specialize the kernels they are passed to."""

from __future__ import annotations

from numba import config, types
from numba.extending import intrinsic


@intrinsic(prefer_literal=False)
def plain(typing_context, number):
    """A constant whole number as an argument like any other.

    Numba compiles a kernel once for every constant that it is called with. Where LLVM inlines the
    kernel it knows the constant anyway.
    """

    def generate(context, builder, signature, arguments):
        return arguments[0]

    return types.int64(types.int64), generate


if config.DISABLE_JIT:  # interpreted kernels take the number itself
    plain = int
