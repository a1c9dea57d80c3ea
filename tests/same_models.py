"""Comparison of two models, item by item and field by field."""

from dataclasses import fields, is_dataclass

import numpy as np

import fibermsk as fm

KINDS = (
    "bodies",
    "joints",
    "coordinates",
    "couplings",
    "fibers",
    "muscles",
    "elements",
    "contacts",
    "markers",
)


def differences(first, second, tolerance=1e-15, least=0.0):
    """Places at which two models differ; numbers by more than a relative tolerance.

    Numbers smaller than `least` may differ as those of this size.
    """
    found = []

    def compare(a, b, where, top=False):
        if isinstance(a, fm.Body) and not top:  # compared once, among the bodies
            compare(a.name, b.name, f"{where}.name")
        elif type(a) is not type(b):
            found.append(f"{where}: {type(a).__name__}, {type(b).__name__}")
        elif is_dataclass(a):
            for one in fields(a):
                compare(getattr(a, one.name), getattr(b, one.name), f"{where}.{one.name}")
        elif isinstance(a, dict):
            compare(sorted(a), sorted(b), f"{where}: keys")
            for key in set(a) & set(b):
                compare(a[key], b[key], f"{where}.{key}")
        elif isinstance(a, tuple | list):
            if len(a) != len(b):
                found.append(f"{where}: {len(a)}, {len(b)} items")
            for k, (one, other) in enumerate(zip(a, b, strict=False)):
                compare(one, other, f"{where}[{k}]")
        elif isinstance(a, float | np.ndarray):
            x, y = np.asarray(a, float), np.asarray(b, float)
            size = max(1.0, np.abs(x).max(initial=0.0)) if x.ndim else max(abs(float(x)), least)
            if x.shape != y.shape or not (np.abs(x - y) <= tolerance * size).all():
                found.append(f"{where}: {a}, {b}")
        elif a != b:
            found.append(f"{where}: {a!r}, {b!r}")

    compare(first.name, second.name, "model.name")
    compare(first.gravity, second.gravity, "gravity")
    for kind in KINDS:
        ones, others = list(getattr(first, kind)), list(getattr(second, kind))
        compare([one.name for one in ones], [one.name for one in others], kind)
        for one, other in zip(ones, others, strict=False):
            compare(one, other, f"{kind}.{one.name}", top=True)
    # those of a file, which act under a control
    reports = [getattr(one.import_report, "actuators", {}) for one in (first, second)]
    compare(*reports, "actuators")
    return found
