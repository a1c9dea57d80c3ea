"""What `fibermsk info` prints of the dataset of a study."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from fibermsk.cli.output import aligned, print_json


def is_study(file: Path) -> bool:
    """Whether a file is a dataset of `sweep`."""
    import h5py

    from fibermsk.studies.dataset import ABOUT

    if not (file.is_file() and h5py.is_hdf5(file)):
        return False
    with h5py.File(file, "r") as opened:
        return ABOUT in opened.attrs


def show_study(file: Path, json: bool) -> None:
    """Print the points of a study, and the ranges of what it varied and computed."""
    import numpy as np

    from fibermsk.studies.packages import package
    from fibermsk.studies.points import MESSAGE, STATUS
    from fibermsk.studies.task import DONE

    with package("xarray").open_dataset(file, engine="h5netcdf") as found:
        status = found[STATUS].values
        shown: dict[str, Any] = {
            "file": str(file),
            "kind": "study",
            **{name: found.attrs[name] for name in ("scene", "design", "fibermsk_version")},
            "points": status.size,
            "failed": int((status != DONE).sum()),
            "variables": {},
        }
        for name, one in {**found.coords, **found.data_vars}.items():
            if name in (STATUS, MESSAGE):
                continue
            values, ends = one.values, (None, None)
            if values.dtype.kind in "fiu" and np.isfinite(values).any():
                ends = float(np.nanmin(values)), float(np.nanmax(values))
            unit = one.attrs.get("units", "")
            sizes = {str(key): int(size) for key, size in one.sizes.items()}
            shown["variables"][name] = {"unit": unit, "sizes": sizes, "range": ends}
    if json:
        print_json(shown)
        return
    typer.echo(
        f"{file}: study of {shown['scene']} ({shown['design']}), {shown['points']} points"
        + (f", {shown['failed']} failed" if shown["failed"] else "")
        + f", fibermsk {shown['fibermsk_version']}"
    )
    rows: list[tuple[str, ...]] = [("", "unit", "sizes", "least", "largest")]
    for name, one in shown["variables"].items():
        ends = ["" if end is None else f"{end:.6g}" for end in one["range"]]
        sizes = " x ".join(f"{key} {size}" for key, size in one["sizes"].items())
        rows.append((name, one["unit"], sizes, *ends))
    for line in aligned(rows):
        typer.echo(line)
    typer.echo(f"  xarray.open_dataset({str(file)!r}, engine='h5netcdf') reads it")
