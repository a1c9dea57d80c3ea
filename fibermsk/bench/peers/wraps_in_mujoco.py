"""The muscle of `fibermsk.bench.wraps.case` in MuJoCo: a spatial tendon around a cylinder geom.

For each pose: `qpos`, and the functions that a user calls for lengths and moment arms of tendons,
`mj_kinematics`, `mj_comPos` and `mj_tendon`.
"""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# (the peers are an extra)

from __future__ import annotations

from typing import Any

import numpy as np

from fibermsk.bench.wraps import case


def time_wrap(surface: str, n: int, repeats: int, muscles: int = 1) -> dict[str, Any]:
    """Times over n poses [s] of so many equal tendons around a "cylinder".

    Results are copied after the timed runs. ``call``: time of a call that computes nothing.
    """
    import mujoco

    if surface != "cylinder":
        raise ValueError(f"MuJoCo does not wrap tendons around a surface of kind {surface!r}")
    model = mujoco.MjModel.from_xml_string(_describe(muscles))
    data, q = mujoco.MjData(model), case.poses(n)
    position = data.qpos
    kinematics, com, tendon = mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon

    def run() -> None:
        for pose in q:
            position[:] = pose
            kinematics(model, data)
            com(model, data)
            tendon(model, data)

    def nothing() -> None:
        for _ in range(n):
            mujoco.mju_sign(1.0)

    def found(k: int) -> list[float]:
        position[:] = q[k]
        kinematics(model, data)
        com(model, data)
        tendon(model, data)
        return [data.ten_length[0], *(-np.ravel(data.ten_J)[:2])]

    return case.report(run, repeats, found, n) | {
        "call": case.report(nothing, 1, lambda k: [], n)["seconds"] / n
    }


def _describe(muscles: int) -> str:
    """Model file."""

    def text(values: Any) -> str:
        return " ".join(repr(float(value)) for value in values)

    inertial = '<inertial pos="0 -0.1 0" mass="1" diaginertia="1 1 1"/>'
    hinge = '<joint type="hinge" axis="0 0 1"/>'
    behind = np.add(case.ELBOW, case.BEHIND)
    spatial = (
        '<spatial><site site="origin"/><geom geom="surface" sidesite="side"/>'
        '<site site="insertion"/></spatial>'
    )
    return f"""
    <mujoco>
      <compiler angle="radian"/>
      <worldbody>
        <site name="origin" pos="{text(case.ORIGIN)}"/>
        <body>{hinge}{inertial}
          <geom name="surface" type="cylinder" size="{case.RADIUS} 0.5" pos="{text(case.ELBOW)}"/>
          <site name="side" pos="{text(behind)}"/>
          <body pos="{text(case.ELBOW)}">{hinge}{inertial}
            <site name="insertion" pos="{text(case.INSERTION)}"/>
          </body>
        </body>
      </worldbody>
      <tendon>{muscles * spatial}</tendon>
    </mujoco>"""
