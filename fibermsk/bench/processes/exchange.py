"""Exchange of vectors between processes, with the bytes that it sends."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fibermsk._arrays import Array, Index
from fibermsk.bench.processes.partition import Block


class Communicator(Protocol):
    """What is used of ``mpi4py.MPI.Comm``."""

    def Allreduce(self, sendbuf: Any, recvbuf: Any, op: Any) -> None: ...  # noqa: D102
    def Isend(self, buf: Any, dest: int) -> Any: ...  # noqa: D102
    def Irecv(self, buf: Any, source: int) -> Any: ...  # noqa: D102


@dataclass
class Sent:
    """What this process has sent: sizes of its buffers, without headers."""

    halo: int = 0  # [bytes] of entries of ghosts
    messages: int = 0  # of such entries
    reduced: int = 0  # [bytes] of sums and maxima of all processes
    reductions: int = 0

    def since(self, before: Sent) -> Sent:
        """Difference to an earlier copy."""
        return Sent(*(now - then for now, then in zip(self.tuple, before.tuple, strict=True)))

    @property
    def tuple(self) -> tuple[int, int, int, int]:
        """The numbers in their order."""
        return self.halo, self.messages, self.reduced, self.reductions

    def copy(self) -> Sent:
        """The numbers at present."""
        return Sent(*self.tuple)


class Exchange:
    """Entries of ghosts from their owners, and sums and maxima over all processes.

    Parameters
    ----------
    communicator : Communicator or None
        None for a single process.
    operations : (SUM, MAX)
        Operations of the communicator.
    block : Block
        Fibers of this process.
    node_start : (n_fibers + 1,) int array
        First node of each of its fibers.

    Attributes
    ----------
    sent : Sent
        What this process has sent.
    waited : dict of float
        Wall times spent here [s], for the "halo" and for "reductions"; most of it waiting for
        others.
    ghosts : (n,) int array
        Nodes of the ghosts.
    """

    def __init__(
        self,
        communicator: Communicator | None,
        operations: tuple[Any, Any],
        block: Block,
        node_start: Index,
    ) -> None:
        self._communicator, self.sent = communicator, Sent()
        self.waited = {"halo": 0.0, "reductions": 0.0}
        self._sum, self._max = operations
        fibers = block.fibers
        self._sends = {to: _nodes(fibers, of, node_start) for to, of in block.sends.items()}
        self._receives = {
            source: _nodes(fibers, of, node_start) for source, of in block.receives.items()
        }
        self.ghosts = _nodes(fibers, block.ghosts, node_start)

    def fill(self, x: Array) -> None:
        """Set the entries of ghosts in a vector (n,) to those of their owners."""
        if self._communicator is None:
            return
        began = time.perf_counter()
        nodes = x.reshape(-1, 6)
        incoming = {source: np.empty((at.size, 6)) for source, at in self._receives.items()}
        waiting = [self._communicator.Irecv(b, source=s) for s, b in incoming.items()]
        outgoing = {to: nodes[at] for to, at in self._sends.items()}
        waiting += [self._communicator.Isend(b, dest=to) for to, b in outgoing.items()]
        for request in waiting:
            request.Wait()
        for source, buffer in incoming.items():
            nodes[self._receives[source]] = buffer
        self.sent.halo += sum(buffer.nbytes for buffer in outgoing.values())
        self.sent.messages += len(outgoing)
        self.waited["halo"] += time.perf_counter() - began

    def own(self, x: Array) -> Array:
        """Set the entries of ghosts in a vector (n,) to zero, in place; the same array."""
        x.reshape(-1, 6)[self.ghosts] = 0.0
        return x

    def total(self, values: Array) -> Array:
        """Sums (n,) over all processes, a new array."""
        return self._reduced(values, self._sum)

    def largest(self, values: Array) -> Array:
        """Maxima (n,) over all processes; NaN counts as infinite."""
        return self._reduced(np.where(np.isnan(values), np.inf, values), self._max)

    def _reduced(self, values: Array, operation: Any) -> Array:
        if self._communicator is None:
            return values.copy()
        began = time.perf_counter()
        result = np.empty_like(values)
        self._communicator.Allreduce(values, result, op=operation)
        self.sent.reduced += values.nbytes
        self.sent.reductions += 1
        self.waited["reductions"] += time.perf_counter() - began
        return result


def _nodes(fibers: Index, chosen: Index, node_start: Index) -> Index:
    """Nodes of chosen ones of some fibers, both in increasing order."""
    at = np.searchsorted(fibers, chosen)
    ends = np.column_stack([node_start[at], node_start[at + 1]]).tolist()
    ranges = [np.arange(first, last) for first, last in ends]
    return np.concatenate(ranges) if ranges else np.zeros(0, np.int64)
