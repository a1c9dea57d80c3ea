"""One door to recorded motions of all kinds."""

from __future__ import annotations

from os import PathLike

from fibermsk import _check
from fibermsk.files import path_of
from fibermsk.read.heads import storage_header
from fibermsk.read.lines import lines_of
from fibermsk.read.recordings.markers import Markers
from fibermsk.read.recordings.orientations import Orientations, read_orientations
from fibermsk.read.recordings.trc import read_trc
from fibermsk.read.signals import Signals, read_signals

_KINDS = (".mot", ".sto", ".csv", ".trc")


def read_motion(path: str | PathLike[str]) -> Signals | Markers | Orientations:
    """Read a recorded motion.

    Parameters
    ----------
    path : str or path
        A file of markers (.trc), or a table of OpenSim (.mot or .sto) or .csv: values in time, see
        `read_signals`, or orientations of sensors (DataType=Quaternion).

    Returns
    -------
    motion : Markers, Orientations or Signals
        As the file says. Markers are in m; missing ones have NaN. All three keep the filters and
        splines that are applied to them, as ``treatment``.

    Raises
    ------
    ModelError
        If the file cannot be read, is inconsistent with its header, names a marker twice, has a
        unit that is not one of length, or times that do not increase.

    Warns
    -----
    ModelWarning
        Names markers that are exactly at the origin in some frames, which are taken as missing.

    Examples
    --------
    >>> import fibermsk as fm
    >>> markers = fm.read_motion("walk.trc")  # doctest: +SKIP
    >>> markers.gaps()  # doctest: +SKIP
    """
    file = path_of(path, "read_motion: path")
    ending = file.suffix.lower()
    owner = f"motion file {str(file)!r}"
    if ending not in _KINDS:
        _check.refuse(
            owner, "extension", file.suffix or "none", f"be one of {', '.join(_KINDS)}",
            remedy="export the file as one of them",
        )  # fmt: skip
    if ending == ".trc":
        return read_trc(file)
    if ending == ".sto":
        header, _ = storage_header(owner, lines_of(owner, file))
        if header.get("datatype", ("", 0))[0].lower() == "quaternion":
            return read_orientations(file)
    return read_signals(file)
