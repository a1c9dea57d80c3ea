"""Small scratch arrays on the stack, without heap allocation.

The same call compiles for the CPU and for a GPU, where `numpy.empty` does not exist and the array
is in registers or in the local memory of the thread.
"""

from __future__ import annotations

import math

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.errors import RequireLiteralValue
from numba.extending import intrinsic

_ITEM_SIZE = 8


def _constant_shape(shape: types.Type) -> tuple[int, ...]:
    sizes = (shape,) if isinstance(shape, types.Integer) else tuple(shape)
    if not all(isinstance(size, types.IntegerLiteral) for size in sizes):
        raise RequireLiteralValue("the shape of scratch must be made of constants")
    return tuple(size.literal_value for size in sizes)


@intrinsic(prefer_literal=True)
def scratch(typing_context, shape):
    """Float array of a constant shape, C-contiguous, its entries undefined.

    Parameters
    ----------
    shape : int or tuple of int
        Numbers or module constants: must be known when the kernel is compiled.

    Returns
    -------
    array : float array
        Valid until the calling function returns: it may be passed to other kernels but neither
        returned nor stored. Calls in a loop reuse the same memory.
    """
    sizes = _constant_shape(shape)
    array_type = types.Array(types.float64, len(sizes), "C")

    def generate(context, builder, signature, arguments):
        memory_type = ir.ArrayType(ir.DoubleType(), math.prod(sizes))
        memory = cgutils.alloca_once(builder, memory_type, name="scratch")
        array = context.make_array(array_type)(context, builder)
        steps = [_ITEM_SIZE * math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))]

        def constants(numbers):
            return [context.get_constant(types.intp, number) for number in numbers]

        context.populate_array(
            array,
            data=builder.bitcast(memory, array.data.type),
            shape=constants(sizes),
            strides=constants(steps),
            itemsize=context.get_constant(types.intp, _ITEM_SIZE),
            meminfo=None,
        )
        return array._getvalue()

    return array_type(shape), generate


if config.DISABLE_JIT:  # interpreted kernels need an array as well
    scratch = np.empty
