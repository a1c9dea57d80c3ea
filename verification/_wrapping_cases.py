"""Paths of `wrapping_sweep`: one hinge about z, wrapping surfaces on the ground, tilted.

Does not import the package: scripts in OpenSim's and MuJoCo's own interpreters use it too.
"""

STEP = 1e-3
"""Distance of poses [rad]."""
OFFSETS = (-2.0, -1.0, 0.0, 1.0, 2.0)
"""Poses around each one for its slope, in `H`."""
H = 1e-4
"""Distance of poses of the slope [rad]."""

FRONT = (-0.08, 0.0, 0.0)
ELLIPSOID = ("ellipsoid", (0.05, 0.06, 0.09), (0.0, 0.0, 0.0), (0.1, -0.15, 0.1), FRONT)
ENDS = {"start": (-0.045, 0.1, 0.01), "end": (-0.045, -0.1, -0.01), "range": (-0.5, 0.7)}

CASES = {
    # surfaces: kind, radii [m], center [m], body-fixed XYZ angles [rad], point on the path [m]
    "cylinder": ENDS | {
        "surfaces": [("cylinder", (0.05,), (0.0, 0.0, 0.0), (0.1, -0.15, 0.0), FRONT)],
        "range": (-0.5, 1.2),
    },
    "sphere": ENDS | {
        "surfaces": [("sphere", (0.05,), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), FRONT)],
    },
    "ellipsoid": ENDS | {"surfaces": [ELLIPSOID]},
    "torus": ENDS | {
        "surfaces": [("torus", (0.012, 0.03), (-0.045, 0.0, 0.0), (1.47, 0.1, 0.0), None)],
    },
    "ellipsoid, cylinder": ENDS | {
        "surfaces": [
            ELLIPSOID,
            ("cylinder", (0.02,), (-0.055, -0.13, 0.0), (-0.1, 0.1, 0.0), (-0.02, -0.13, 0.0)),
        ],
        "end": (-0.045, -0.2, -0.01),
    },
}  # fmt: skip
"""A torus is passed through its hole."""


def poses(case: str, stride: int = 1) -> list[float]:
    """Angles [rad] of a sweep; with a stride, that many adjacent ones of every ten strides."""
    low, high = CASES[case]["range"]
    n = round((high - low) / STEP)
    return [low + k * STEP for k in range(n + 1) if stride == 1 or (k // 10) % stride == 0]
