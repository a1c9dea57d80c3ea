"""Sobol indices of a study: shares of the variance of an output that parameters explain."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from fibermsk import _check
from fibermsk.studies.dataset import ABOUT
from fibermsk.studies.packages import package
from fibermsk.studies.points import SAMPLE, STATUS, label_of, problem_of
from fibermsk.studies.task import DONE

if TYPE_CHECKING:
    import xarray  # pyright: ignore[reportMissingImports]


def sobol_indices(study: xarray.Dataset, output: str, *, seed: int = 0) -> xarray.Dataset:
    """Shares of the variance of an output that are due to each parameter, and to pairs.

    Parameters
    ----------
    study : xarray.Dataset
        Of `sweep` with ``design="sobol"``.
    output : str
        A number of each point.
    seed : int
        Of the resampling from which confidence intervals come.

    Returns
    -------
    found : xarray.Dataset
        ``S1`` (parameter,), first order; ``ST``, total; ``S2`` (parameter, other), of pairs, above
        the diagonal, NaN elsewhere; and half widths of intervals of 95 %, ``S1_conf`` and so on.

    Raises
    ------
    ModelError
        If the study has another design, points that failed, or no such number.

    References
    ----------
    .. [1] Saltelli, Annoni, Azzini, Campolongo, Ratto and Tarantola, "Variance based sensitivity
           analysis of model output", Computer Physics Communications 181 (2010), 259-270.
    """
    owner, xarray = "sobol_indices", package("xarray")
    _check.instance(owner, "study", study, xarray.Dataset, "a dataset of fm.sweep")
    about = json.loads(study.attrs.get(ABOUT, "{}"))
    if about.get("design") != "sobol":
        _check.refuse(owner, "design", about.get("design"), 'be "sobol"')
    failed = int((study[STATUS] != DONE).sum())
    if failed:
        must = "be without points that failed: the shares need all"
        _check.refuse(owner, "study", f"{failed} of {study.sizes[SAMPLE]} points failed", must)
    numbers = [str(name) for name, one in study.data_vars.items() if one.dims == (SAMPLE,)]
    _check.instance(owner, "output", output, str, "a text")
    if output not in numbers:
        near = _check.suggestion(output, numbers)
        _check.refuse(owner, "output", output, f"be a number of each point{near}")
    values = np.asarray(study[output].values, float)
    if not np.isfinite(values).all():
        wrong = int((~np.isfinite(values)).sum())
        must = f"be a number at all points, which it is not at {wrong}"
        _check.refuse(owner, "output", output, must)
    if np.ptp(values) == 0.0:
        _check.refuse(owner, "output", output, "vary over the points")
    ranges: dict[str, Any] = about["over"]
    problem = problem_of({label_of(key): ends for key, ends in ranges.items()})
    names = problem["names"]
    seed = _check.whole(owner, "seed", seed)
    found = package("SALib.analyze.sobol").analyze(problem, values, seed=seed)
    one, two = ("parameter",), ("parameter", "other")
    data = {
        key: (two if key.startswith("S2") else one, np.asarray(found[key]))
        for key in ("S1", "S1_conf", "ST", "ST_conf", "S2", "S2_conf")
    }
    return xarray.Dataset(data, {"parameter": names, "other": names}, {"output": output})
