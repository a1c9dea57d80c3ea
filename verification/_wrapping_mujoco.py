"""Lengths and moment arms of the paths of `wrapping_sweep` by MuJoCo, run by its interpreter.

``python _wrapping_mujoco.py tendon CASE STRIDE ANSWER.json``; spheres and cylinders only.
"""

import json
import sys
import time

import mujoco
from _wrapping_cases import CASES, OFFSETS, H, poses


def build(case):
    """Model with one hinge and the tendon."""
    data = CASES[case]
    geoms, wraps = "", ""
    for k, (kind, radii, center, angles, point) in enumerate(data["surfaces"]):
        if kind not in ("cylinder", "sphere"):
            sys.exit(f"MuJoCo does not wrap a {kind}")
        size = f"{radii[0]} 0.5" if kind == "cylinder" else f"{radii[0]}"
        text = [" ".join(map(repr, values)) for values in (center, angles, point)]
        geoms += (
            f'<geom name="g{k}" type="{kind}" size="{size}" pos="{text[0]}" euler="{text[1]}"/>'
        )
        geoms += f'<site name="side{k}" pos="{text[2]}"/>'
        wraps += f'<geom geom="g{k}" sidesite="side{k}"/>'
    start, end = (" ".join(map(repr, data[name])) for name in ("start", "end"))
    return mujoco.MjModel.from_xml_string(f"""
<mujoco><compiler angle="radian" eulerseq="xyz"/><worldbody>
<site name="o" pos="{start}"/>{geoms}
<body><joint type="hinge" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<site name="i" pos="{end}"/></body></worldbody>
<tendon><spatial><site site="o"/>{wraps}<site site="i"/></spatial></tendon></mujoco>""")


def main(case, stride, answer):
    """Write what is found."""
    model = build(case)
    data = mujoco.MjData(model)
    found, seconds = [], 0.0
    for q in poses(case, stride):
        row = []
        for k in OFFSETS:
            data.qpos[0] = q + k * H
            start = time.perf_counter()
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_tendon(model, data)
            seconds += time.perf_counter() - start
            row.append(float(data.ten_length[0]))
            if k == 0.0:
                arm = -float(data.ten_J.ravel()[0])
        found.append([q, arm, *row])
    with open(answer, "w") as file:
        json.dump({"found": found, "seconds": seconds, "lengths": 5 * len(found)}, file)


if __name__ == "__main__":
    main(sys.argv[2], int(sys.argv[3]), sys.argv[4])
