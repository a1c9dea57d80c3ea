"""A made-up result with the shape of a real one, for tests of files, pictures and commands."""

from __future__ import annotations

import numpy as np

from fibermsk.results import Field, Histories, MuscleHistory, StateRecord
from fibermsk.results.columns import Column
from fibermsk.results.histories import state_histories
from fibermsk.results.result import BodyMotion, FiberHistory, Result, ShapeRecord


def rotation_y(angle: float) -> np.ndarray:
    """Rotation about y that brings z towards x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def make_fiber(origin, insertion, force, *, n_nodes=9, n_samples=21, bow=0.01) -> FiberHistory:
    """Fiber bowed in x between two end histories of shape (n_frames, 3)."""
    n_frames = len(origin)
    node_theta = np.linspace(0.0, 1.0, n_nodes)
    theta = np.linspace(0.0, 1.0, n_samples)
    span = insertion - origin
    bump = 4.0 * node_theta * (1.0 - node_theta)
    position = origin[:, None] + node_theta[None, :, None] * span[:, None]
    position[..., 0] += bow * bump
    tangent = np.repeat(span[:, None], n_nodes, axis=1)
    tangent[..., 0] += bow * (4.0 - 8.0 * node_theta)
    profile = 16.0 * theta**2 * (1.0 - theta) ** 2
    length = np.linalg.norm(span, axis=1)
    stretch = (length / length[0])[:, None] * (1.0 + 0.02 * np.sin(np.pi * theta))
    pull = force * span / length[:, None]
    along = np.reshape(force, (n_frames, 1)) * (1.0 - 0.1 * theta)
    return FiberHistory(
        node_theta=node_theta,
        position=position,
        tangent=tangent,
        theta=theta,
        muscle_fraction=profile,
        stretch=stretch,
        radius=0.006 * (1.0 + profile) / np.sqrt(stretch),
        cut_force=np.repeat(pull[:, None], n_nodes, axis=1),
        axial_force=along,
        tissue_force=along * (1.0 + 0.05 * np.cos(9.0 * theta)),
        contact_line_force=5.0
        * np.maximum(0.0, np.sin(np.pi * theta) - 0.5)[:, None]
        * np.tile([np.sign(bow), 0.0, 0.0], (n_frames, 1, 1)),
        activation=0.05 * np.linspace(0.0, 1.0, n_frames),
        force_origin=pull,
        force_insertion=-pull,
    )


def make_result(n_frames: int = 33, **changes) -> Result:
    """Arm of two bones with two biceps and three triceps fibers, the elbow bending by 60°."""
    time = np.linspace(0.0, 8.0, n_frames)
    angle = np.radians(60.0) * np.sin(np.pi * time / 16.0)
    elbow = np.array([0.0, 0.0, -0.351])
    turn = np.stack([rotation_y(-q) for q in angle])
    still = np.repeat(np.eye(3)[None], n_frames, axis=0)
    fibers = {}
    for kind, x, low, sides in (
        ("biceps", 0.05, (0.045, -0.045), (-0.013, 0.013)),
        ("triceps", -0.05, (-0.05, -0.03), (-0.026, 0.0, 0.026)),
    ):
        for number, y in enumerate(sides, 1):
            origin = np.tile([x, y, -0.01], (n_frames, 1))
            insertion = elbow + turn @ np.array([low[0], y, low[1]])
            force = (20.0 if kind == "biceps" else 8.0) + 3.0 * np.sin(time)[:, None]
            fibers[f"{kind}_{number}"] = make_fiber(origin, insertion, force, bow=0.3 * x)
    bodies = {
        "upper_arm": BodyMotion(
            position=np.zeros((n_frames, 3)),
            rotation=still,
            shapes=(
                ShapeRecord("capsule", np.zeros(3), elbow, 0.035),
                ShapeRecord("infinite_cylinder", elbow, elbow + [0.0, 1.0, 0.0], 0.035),
            ),
        ),
        "forearm": BodyMotion(
            position=np.tile(elbow, (n_frames, 1)),
            rotation=turn,
            shapes=(ShapeRecord("capsule", np.zeros(3), np.array([0.0, 0.0, -0.287]), 0.035),),
        ),
    }
    settings = {
        "scene": "upper_limb",
        "parameters": {"elements": 8, "steps": n_frames - 1, "duration": 8.0},
        "time": time,
        "coordinates": {"elbow_flexion": angle},
        "speeds": {"elbow_flexion": np.gradient(angle, time) if n_frames > 1 else 0.0 * time},
        "bodies": bodies,
        "fibers": fibers,
        "step_size": np.concatenate([[0.0], np.diff(time)]),
        "newton_iterations": np.full(n_frames, 3),
        "min_admissibility": np.linspace(1.0, 0.4, n_frames),
        "stats": {"steps": n_frames - 1, "wall_seconds": 1.5},
        "version": "0.1.0",
    }
    return Result(**(settings | changes))


def make_ball(radius: float = 0.05, n: int = 12) -> ShapeRecord:
    """Ball about the origin as a mesh of 4 n^2 - 4 n triangles."""
    polar = np.linspace(0.0, np.pi, n + 1)[1:-1]
    around = np.arange(2 * n) * np.pi / n
    height, along = np.cos(polar)[:, None], np.sin(polar)[:, None]
    rings = np.stack(
        [along * np.cos(around), along * np.sin(around), height + 0.0 * around], axis=-1
    )
    vertices = radius * np.concatenate([rings.reshape(-1, 3), [[0, 0, 1.0]], [[0, 0, -1.0]]])
    index = np.arange((n - 1) * 2 * n).reshape(n - 1, 2 * n)
    after = np.roll(index, -1, axis=1)
    a, b, c, d = index[:-1], after[:-1], index[1:], after[1:]
    top, bottom = (np.full(2 * n, len(vertices) - k) for k in (2, 1))
    faces = np.concatenate(
        [
            np.stack([a, c, d], -1).reshape(-1, 3),
            np.stack([a, d, b], -1).reshape(-1, 3),
            np.stack([top, index[0], after[0]], -1),
            np.stack([bottom, after[-1], index[-1]], -1),
        ]
    )
    return ShapeRecord.mesh(vertices, faces, radius)


def make_meshed_arm(n_frames: int = 9) -> Result:
    """The arm with a ball at its hand that can be touched, and one at its elbow only drawn."""
    arm = make_result(n_frames)
    forearm = arm.bodies["forearm"]
    hand = make_ball()
    hand = ShapeRecord.mesh(hand.vertices - [0.0, 0.0, 0.3], hand.faces, hand.radius)
    moved = BodyMotion(
        forearm.position, forearm.rotation, (*forearm.shapes, hand), (make_ball(0.06),)
    )
    return make_result(n_frames, bodies=arm.bodies | {"forearm": moved})


def make_reporting_arm(n_frames: int = 5) -> Result:
    """The arm with states of a tendon, and what a spring and a load report."""
    states = np.sin(np.arange(3.0 * n_frames)).reshape(n_frames, 3)
    force = Field("force", "N", "external force", "force on the body, in ground", (3,))
    tension = Field("tension", "N", "spring tension", "positive if it pulls")
    time = np.linspace(0.0, 1.0, n_frames)
    of_muscle = np.stack([time, 10.0 + time], axis=1)  # the second one is reported, too
    return make_result(
        n_frames,
        states=state_histories(
            [
                StateRecord("tendon", ("force", "open_part", "open_part"), ("N", "1", "1"), states),
                StateRecord("brachialis", ("excited", "tendon_force"), ("1", "N"), of_muscle),
            ]
        ),
        elements={
            "band": Histories({"tension": tension}, {"tension": np.linspace(3.0, 4.0, n_frames)}),
            "load": Histories({"force": force}, {"force": states[:, ::-1] * 7.0}),
        },
        muscles={"brachialis": make_muscle(n_frames)},
        tables=make_tables(),
    )


def make_tables() -> dict[str, dict[str, Column]]:
    """What optimal control adds."""
    time, three = np.linspace(0.0, 0.6, 4), np.array([0.1, 0.3, 0.2])
    return {
        "control": {"biceps": Column(three), "elbow": Column(5.0 * three, "N m")},
        "optimum": {"time": Column(time, "s"), "elbow": Column(2.0 * time, "rad")},
        "multipliers": {"motion of elbow": Column(time)},
        "convergence": {"objective": Column(three), "violation": Column(1e-3 * three)},
        "sparsity": {"row": Column(three), "column": Column(three)},
    }


def make_muscle(n_frames: int) -> MuscleHistory:
    """A line muscle along an arc."""
    time = np.linspace(0.0, 1.0, n_frames)
    arms = Field(
        "moment_arm/elbow_flexion", "m", "moment arm about elbow_flexion", "", (), "muscle"
    )
    fields = [
        Field("length", "m", "length", "of muscle and tendon", (), "muscle"),
        Field("activation", "1", "activation", "0 to 1", (), "muscle"),
        Field("tendon_force", "N", "tendon force", "positive if it pulls", (), "muscle"),
        arms,
    ]
    values = (0.2 + 0.01 * time, time, 10.0 + time, 0.03 - 0.01 * time)
    angle = np.linspace(0.0, 2.0, 17)
    arc = np.stack([0.1 * np.cos(angle), 0.0 * angle, 0.1 * np.sin(angle)], axis=1)
    return MuscleHistory(
        {field.name: field for field in fields},
        {field.name: value for field, value in zip(fields, values, strict=True)},
        arc * (1.0 + 0.1 * time[:, None, None]),
        0.003,
    )


def make_hanging_fiber(n_frames: int = 5) -> Result:
    """One passive fiber, no body and no coordinate."""
    origin = np.tile([0.0, 0.0, 1.0], (n_frames, 1))
    insertion = np.stack([[0.0, 0.0, -0.05 * k / n_frames] for k in range(n_frames)])
    fiber = make_fiber(origin, insertion, np.full((n_frames, 1), 1.0), bow=0.0)
    fibers = {"fiber": FiberHistory(**(vars(fiber) | {"activation": np.zeros(n_frames)}))}
    return make_result(
        n_frames, scene="hanging_fiber", coordinates={}, speeds={}, bodies={}, fibers=fibers
    )
