"""The bundle in MuJoCo: one-dimensional flexes with contact between them.

Written from https://mujoco.readthedocs.io (XML reference, `flexcomp`): a line of vertices whose
edges are springs (`edge stiffness`, explicit) or soft constraints (`edge equality`), bending by
`elasticity young`, the two outer vertices of each end pinned, so that the ends are clamped.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# (the peers are an extra)

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fibermsk.bench.bundles import case

EDGE_DAMPING_TIME = 2e-3
"""Edge damping over stiffness [s]."""

BENDING_DAMPING_TIME = 1e-2
"""Bending damping over stiffness [s]."""


def run_bundle(
    n: int,
    steps: int,
    edges: str = "springs",
    integrator: str = "Euler",
    solver: str = "CG",
    contact_time: float = 0.02,
    contact: bool = True,
    duration: float = case.DURATION,
    frames: int = case.FRAMES,
) -> dict[str, Any]:
    """Run the bundle once, see `fibermsk.bench.bundles.case`.

    `edges`, "springs" or "constraints", resist stretching; integrator and solver have MuJoCo's
    names; `contact_time` is ``solref`` of contacts [s]. Runs with a warning are not measured,
    because MuJoCo resets them.
    """
    import mujoco

    dt = duration / steps
    model = mujoco.MjModel.from_xml_string(
        _describe(n, dt, edges, integrator, solver, contact_time, contact)
    )
    data = mujoco.MjData(model)
    return case.watch(
        lambda steps: mujoco.mj_step(model, data, nstep=steps),
        lambda: _frame(data, n),
        steps,
        frames,
    )


def _frame(data: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Centerlines, NaN after a warning, and constant radii."""
    centerlines = data.flexvert_xpos.reshape(n, case.ELEMENTS + 1, 3).copy()
    if any(warning.number for warning in data.warning):
        centerlines[:] = math.nan
    return centerlines, np.full(centerlines.shape[:2], case.RADIUS)


def _describe(
    n: int,
    dt: float,
    edges: str,
    integrator: str,
    solver: str,
    contact_time: float,
    contact: bool,
) -> str:
    """Model file."""
    area = math.pi * case.RADIUS**2
    spacing = case.LENGTH / case.ELEMENTS
    stiffness = case.YOUNGS_MODULUS * area / spacing
    edge = {
        "springs": f'stiffness="{stiffness:.9g}" damping="{EDGE_DAMPING_TIME * stiffness:.9g}"',
        "constraints": 'equality="true"',
    }[edges]
    touches = int(contact)
    last = case.ELEMENTS
    fibers = "".join(
        f"""
        <flexcomp name="fiber_{i}" type="grid" dim="1" count="{last + 1} 1 1"
                  spacing="{spacing:.9g} {spacing:.9g} {spacing:.9g}"
                  pos="{0.5 * case.LENGTH:.9g} {y:.9g} {z:.9g}" radius="{case.RADIUS}"
                  mass="{case.DENSITY * area * case.LENGTH:.9g}">
          <edge {edge}/>
          <elasticity young="{case.YOUNGS_MODULUS:.9g}" poisson="0.49"
                      damping="{BENDING_DAMPING_TIME}"/>
          <contact selfcollide="none" contype="{touches}" conaffinity="{touches}" condim="1"
                   solref="{contact_time} 1"/>
          <pin id="0 1 {last - 1} {last}"/>
        </flexcomp>"""
        for i, (y, z) in enumerate(case.packing(n))
    )
    return f"""
    <mujoco>
      <option timestep="{dt!r}" integrator="{integrator}" solver="{solver}"
              gravity="0 0 -{case.GRAVITY}"/>
      <size memory="400M"/>
      <worldbody>{fibers}
      </worldbody>
    </mujoco>"""
