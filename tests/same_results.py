"""Bitwise comparison of results."""

from __future__ import annotations

import json

import h5py
import numpy as np

from fibermsk.io import save


def contents(path):
    """Everything in a result file but the wall time: names to bytes and texts."""
    found = {}
    with h5py.File(path) as file:
        for name, value in file.attrs.items():
            if name == "stats":
                value = json.loads(value)
                value.pop("wall_seconds")
                value = json.dumps(value)
            found[f"@{name}"] = str(value)

        def add(name, item):
            if isinstance(item, h5py.Dataset):
                values = np.asarray(item[()])
                data = values.tolist() if values.dtype == object else values.tobytes()
                found[name] = (values.dtype.str, values.shape, data)

        file.visititems(add)
    return found


def differences(first, second, folder):
    """Names of what differs between two results, but for the wall time."""
    files = save(first, folder / "first.h5"), save(second, folder / "second.h5")
    one, other = map(contents, files)
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]
