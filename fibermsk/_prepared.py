"""Calls of kernels with arguments that were unpacked before: many kernels in one call from Python.

Between Python and a kernel every array of its arguments costs a tenth of a microsecond, in every
call, and the code that unpacks them takes longer to compile than most kernels. A `Prepared` kernel
keeps its arguments as words of memory, as compiled code reads them, with places left open for those
that change. Compiled functions take it as one argument, and `call` it by its address: the kernel is
not compiled into its caller once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.dispatcher import Dispatcher
from numba.core.errors import TypingError
from numba.core.imputils import impl_ret_borrowed
from numba.extending import NativeValue, intrinsic, register_model, typeof_impl, unbox
from numba.np.numpy_support import as_dtype

_WORD = ir.IntType(64)


class PreparedType(types.Type):
    """A prepared kernel: type of its result, types of all arguments, and places left open."""

    def __init__(self, returns: Any, arguments: tuple[Any, ...], open_: tuple[int, ...]) -> None:
        self.returns, self.arguments, self.open = returns, arguments, open_
        super().__init__(f"Prepared({returns}, {arguments}, {open_})")

    @property
    def key(self) -> Any:
        """What makes two of them the same."""
        return self.returns, self.arguments, self.open

    @property
    def mangling_args(self) -> Any:
        """Short name in compiled code: types of all arguments would be longer than a line."""
        return "Prepared", ()


class PackedType(types.Type):
    """A packed tuple."""

    def __init__(self, tuple_: Any) -> None:
        self.tuple = tuple_
        super().__init__(f"Packed({tuple_})")

    @property
    def key(self) -> Any:
        """What makes two of them the same."""
        return self.tuple

    @property
    def mangling_args(self) -> Any:
        """Short name in compiled code."""
        return "Packed", ()


_KINDS: dict[Any, tuple[Any, Any]] = {}
"""Types of arrays by what they depend on, and of tuples by those of their parts, which are kept."""


def kind_of(value: Any) -> Any:
    """Numba's type of a value, found a hundred times faster for tuples of arrays as seen before."""
    if type(value) is np.ndarray:
        flags = value.flags
        order = flags.c_contiguous, flags.f_contiguous, flags.writeable, flags.aligned
        key, parts = (value.dtype, value.ndim, order), ()
    elif isinstance(value, tuple):
        parts = tuple([kind_of(part) for part in value])
        key = (type(value), *map(id, parts))
    else:
        return typeof(value)
    found = _KINDS.get(key)
    if found is None:
        found = _KINDS[key] = typeof(value), parts
    return found[0]


class Packed:
    """A tuple of arrays and numbers, as one argument; see `unpacked`."""

    def __init__(self, value: tuple[Any, ...]) -> None:
        kind = kind_of(value)
        self.type, self._layout = PackedType(kind), _layout_of(kind)
        self._words, self._kept = np.array(words_of(value, self._layout), np.int64), value
        self.address: int = self._words.ctypes.data

    def put(self, value: tuple[Any, ...]) -> None:
        """Replace the tuple by another one of the same type."""
        self._words[:] = words_of(value, self._layout)
        self._kept = value


class LayoutError(TypeError):
    """Compiled code expects another layout of an array."""


class Open:
    """Place for an argument that every call gives anew, of the type of an example."""

    def __init__(self, example: Any) -> None:
        self.type = kind_of(example)


class Prepared:
    """A kernel and its arguments.

    Attributes
    ----------
    address : int
        Of its words: address of the machine code, then the arguments.
    type : PreparedType
        Type in compiled code.
    """

    def __init__(self, kernel: Any, *arguments: Any) -> None:
        kinds = tuple(one.type if isinstance(one, Open) else kind_of(one) for one in arguments)
        overload = overload_of(kernel, kinds)
        open_ = tuple(k for k, one in enumerate(arguments) if isinstance(one, Open))
        self.type = PreparedType(overload.signature.return_type, kinds, open_)
        library, name = overload.library, overload.fndesc.llvm_func_name
        words, self._begin = [library.get_pointer_to_function(name)], list[int]()
        self._layouts = [_layout_of(kind) for kind in kinds]
        for one, layout in zip(arguments, self._layouts, strict=True):
            self._begin.append(len(words))
            words += _open_words(layout) if isinstance(one, Open) else words_of(one, layout)
        self._words = np.array(words, np.int64)
        self._kept = [overload, *arguments]
        self.address: int = self._words.ctypes.data

    @classmethod
    def absent(cls, returns: Any, *arguments: Any) -> Prepared:
        """One of the same type, for code that never calls it; nothing is compiled."""
        kinds = tuple(one.type if isinstance(one, Open) else kind_of(one) for one in arguments)
        open_ = tuple(k for k, one in enumerate(arguments) if isinstance(one, Open))
        self = cls.__new__(cls)
        self.type, self.address = PreparedType(returns, kinds, open_), 0
        return self

    def put(self, place: int, value: Any, words: list[int] | None = None) -> None:
        """Replace an argument by another one of the same type; its words, where they are known."""
        if words is None:
            words = words_of(value, self._layouts[place])
        begin = self._begin[place]
        self._words[begin : begin + len(words)] = words
        self._kept[1 + place] = value

    def put_all(self, first: int, *values: Any) -> None:
        """Replace successive arguments by others of the same types."""
        for k, value in enumerate(values):
            self.put(first + k, value)

    def layout(self, place: int) -> Any:
        """Layout of an argument, for `words_of`."""
        return self._layouts[place]


_OVERLOADS: dict[Any, tuple[Any, Any, Any]] = {}
"""Compiled versions by kernel and types, which are kept."""


def overload_of(kernel: Any, kinds: tuple[Any, ...]) -> Any:
    """Compiled version of a kernel, for one thread, for types of its arguments."""
    key = (id(kernel), *map(id, kinds))
    if key not in _OVERLOADS:
        dispatcher = getattr(kernel, "alone", kernel)
        assert isinstance(dispatcher, Dispatcher)
        dispatcher.compile(kinds)
        _OVERLOADS[key] = dispatcher.overloads[kinds], kernel, kinds
    return _OVERLOADS[key][0]


def call_known(function: Any, *arguments: Any) -> Any:
    """Call a kernel with prepared ones in its arguments: Numba would ask each part for its type."""
    return entry_of(function, arguments)(*arguments)


def entry_of(function: Any, arguments: Sequence[Any]) -> Any:
    """Entry of a compiled function for arguments of the types of these, without a search for it.

    Arguments of other types are read as if they had these.
    """
    return overload_of(function, tuple(map(kind_of, arguments))).entry_point


class _ArrayLayout(NamedTuple):
    """What compiled code takes for granted of an array."""

    dtype: Any
    ndim: int
    contiguous: bool
    mutable: bool


def _layout_of(kind: Any) -> Any:
    """Layout of an argument: that of an array, or of each part of a tuple; None for a number."""
    if isinstance(kind, types.Array):
        return _ArrayLayout(as_dtype(kind.dtype), kind.ndim, kind.layout == "C", kind.mutable)
    if isinstance(kind, types.BaseTuple):
        return [_layout_of(part) for part in _parts(kind)]
    return None


def _parts(kind: Any) -> tuple[Any, ...]:
    return tuple(kind)


def _open_words(layout: Any) -> list[int]:
    if isinstance(layout, _ArrayLayout):
        return [0] * (5 + 2 * layout.ndim)
    if isinstance(layout, list):
        return [word for part in layout for word in _open_words(part)]
    return [0]


def words_of(value: Any, layout: Any) -> list[int]:
    """Words of an argument as compiled code reads them.

    Raises
    ------
    LayoutError
        If it has another layout.
    """
    if isinstance(layout, list):
        return [word for part in zip(value, layout, strict=True) for word in words_of(*part)]
    if layout is None:
        if isinstance(value, float):
            return [int(np.float64(value).view(np.int64))]
        return [0 if value is None else int(value)]
    flags = value.flags
    if (
        value.dtype != layout.dtype
        or value.ndim != layout.ndim
        or (layout.contiguous and not flags.c_contiguous)
        or (layout.mutable and not flags.writeable)
    ):
        raise LayoutError(f"an array of {value.dtype} and shape {value.shape} is not as {layout}")
    owner = 0, 0  # kept alive by Python
    pointer = value.__array_interface__["data"][0]
    return [*owner, value.size, value.itemsize, pointer, *value.shape, *value.strides]


def _n_words(kind: Any) -> int:
    return len(_open_words(_layout_of(kind)))


@typeof_impl.register(Prepared)
@typeof_impl.register(Packed)
def _typeof(value: Any, _: Any) -> Any:
    return value.type


@register_model(PreparedType)
@register_model(PackedType)
class _Model(models.OpaqueModel):
    """Address of the words."""


@unbox(PreparedType)
@unbox(PackedType)
def _unbox(kind: Any, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_voidptr(number)
    c.pyapi.decref(number)
    return NativeValue(address)


def _load(context: Any, builder: Any, words: Any, kinds: Sequence[Any], k: int) -> Any:
    """Argument k."""
    return _load_at(context, builder, words, kinds[k], 1 + sum(map(_n_words, kinds[:k])))


def _load_at(context: Any, builder: Any, words: Any, kind: Any, begin: int) -> Any:
    place = builder.gep(words, [ir.Constant(_WORD, begin)])
    model = context.data_model_manager[kind]
    place = builder.bitcast(place, model.get_data_type().as_pointer())
    return model.load_from_data_pointer(builder, place)


@intrinsic
def unpacked(_: Any, packed: Any) -> Any:
    """Packed tuple."""
    if not isinstance(packed, PackedType):
        return None

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words = builder.bitcast(values[0], _WORD.as_pointer())
        return _load_at(context, builder, words, packed.tuple, 0)

    return packed.tuple(packed), generate


@intrinsic
def _call(_: Any, prepared: Any, given: Any) -> Any:
    """Call a prepared kernel, with a tuple of the arguments for its open places."""
    if not isinstance(prepared, PreparedType):
        return None
    wanted = tuple(prepared.arguments[k] for k in prepared.open)
    if tuple(given) != wanted:
        raise TypingError(f"a prepared kernel takes {wanted}, not {tuple(given)}")

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words = builder.bitcast(values[0], _WORD.as_pointer())
        kinds, parts = prepared.arguments, []
        for k in range(len(kinds)):
            if k in prepared.open:
                parts.append(builder.extract_value(values[1], prepared.open.index(k)))
            else:
                parts.append(_load(context, builder, words, kinds, k))
        convention = context.call_conv
        made = convention.get_function_type(prepared.returns, kinds).as_pointer()
        function = builder.inttoptr(builder.load(words), made)
        status, found = convention.call_function(builder, function, prepared.returns, kinds, parts)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return found

    return prepared.returns(prepared, given), generate


call: Any = _call
"""``call(prepared, given)``: `_call`, whose signature a checker of types does not see."""


@intrinsic(prefer_literal=True)
def argument(_: Any, prepared: Any, k: Any) -> Any:
    """Argument k, a constant, of a prepared kernel."""
    if not (isinstance(prepared, PreparedType) and isinstance(k, types.IntegerLiteral)):
        return None
    number = k.literal_value

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words = builder.bitcast(values[0], _WORD.as_pointer())
        return _load(context, builder, words, prepared.arguments, number)

    return prepared.arguments[number](prepared, k), generate


@intrinsic(prefer_literal=True)
def exchanged(_: Any, group: Any, k: Any, values: Any) -> Any:
    """Named tuple with other values, of the same types, in the places from k on, a constant."""
    if not (isinstance(group, types.BaseTuple) and isinstance(k, types.IntegerLiteral)):
        return None
    first = k.literal_value
    if _parts(group)[first : first + len(values)] != tuple(values):
        raise TypingError(f"{tuple(values)} do not fit into {group} at {first}")

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        whole = given[0]
        for i in range(len(values)):
            part = builder.extract_value(given[2], i)
            whole = builder.insert_value(whole, part, first + i)
        return impl_ret_borrowed(context, builder, group, whole)

    return group(group, k, values), generate
