"""Random trees of rigid bodies: for the kernels, for the plain reference and for Pinocchio."""

import numpy as np
from kernel_parts import rotation

from fibermsk.kernels.skeleton.rigid import PRISMATIC, REVOLUTE, TreeBodies
from fibermsk.system.skeleton.tree import Tree

GRAVITY = np.array([0.7, -1.3, -9.81])


def inertia(rng, mass):
    """Random principal moments that a body can have, in random axes."""
    size = rng.uniform(0.05, 0.3, 3) ** 2  # squared radii along the axes
    moments = mass * np.array([size[1] + size[2], size[2] + size[0], size[0] + size[1]])
    R = rotation(rng)
    return R @ np.diag(moments) @ R.T


def unit(rng):
    """Random direction."""
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def random_tree(rng, n, kinds="mixed", depth_first=True):
    """Tree with branches; every link carries a body, some two.

    depth_first: number the links branch after branch, as Pinocchio wants it.
    """
    parent = []
    for k in range(n):
        if k == 0 or rng.random() < 0.1:
            parent.append(-1)
            continue
        choice, ancestors = k - 1, [k - 1]
        while parent[choice] >= 0:
            choice = parent[choice]
            ancestors.append(choice)
        pool = ancestors if depth_first else list(range(k))
        parent.append(int(pool[0] if rng.random() < 0.5 else rng.choice(pool)))
    kind = {
        "revolute": np.full(n, REVOLUTE),
        "prismatic": np.full(n, PRISMATIC),
        "mixed": rng.choice([REVOLUTE, REVOLUTE, PRISMATIC], n),
    }[kinds]
    moves = np.zeros((n, n), bool)
    for k in range(n):
        moves[k, k] = True
        if parent[k] >= 0:
            moves[k] |= moves[parent[k]]
    body_link = np.r_[np.arange(n), rng.integers(0, n, 2)]
    mass = rng.uniform(0.5, 3.0, body_link.size)
    return Tree(
        parent=np.array(parent, np.int64),
        kind=kind.astype(np.int64),
        axis=np.array([unit(rng) for _ in range(n)]),
        joint_rotation=np.array([rotation(rng) for _ in range(n)]),
        joint_position=rng.normal(size=(n, 3)) * 0.4,
        moves=moves,
        bodies=TreeBodies(
            link=body_link.astype(np.int64),
            mass=mass,
            com=rng.normal(size=(body_link.size, 3)) * 0.2,
            inertia=np.array([inertia(rng, m) for m in mass]),
            gravity=GRAVITY,
        ),
        frames={},
    )


def plain_bodies(tree):
    """Revolute tree as the reference's bodies: one to carry each joint, welded ones for the
    mass."""
    assert np.all(tree.kind == REVOLUTE)
    none = {"mass": 0.0, "com": np.zeros(3), "inertia": np.zeros((3, 3)), "damping": 0.0}
    rest = {"at": np.zeros(3), "child_at": np.zeros(3), "rotation": np.eye(3), "axis": None}
    bodies = []
    for k in range(tree.n):
        # the reference gives the axis in the parent and turns before its fixed rotation
        R = tree.joint_rotation[k]
        bodies.append(
            {
                **none,
                **rest,
                "parent": int(tree.parent[k]),
                "at": tree.joint_position[k],
                "rotation": R,
                "axis": R @ tree.axis[k],
            }  # fmt: skip
        )
    for k, mass, com, inertia in zip(*tree.bodies[:4], strict=True):
        own = {"mass": mass, "com": com, "inertia": inertia}
        bodies.append({**none, **rest, **own, "parent": int(k)})
    return bodies


def pinocchio_model(pin, tree):
    """The same tree for Pinocchio, with its data."""
    model = pin.Model()
    model.gravity.linear = tree.bodies.gravity
    joints = []
    for k in range(tree.n):
        revolute = tree.kind[k] == REVOLUTE
        joint = pin.JointModelRevoluteUnaligned if revolute else pin.JointModelPrismaticUnaligned
        parent = 0 if tree.parent[k] < 0 else joints[tree.parent[k]]
        place = pin.SE3(tree.joint_rotation[k], tree.joint_position[k])
        joints.append(model.addJoint(parent, joint(*tree.axis[k]), place, f"q{k}"))
    for k, mass, com, inertia in zip(*tree.bodies[:4], strict=True):
        body = pin.Inertia(mass, com, inertia)
        model.appendBodyToJoint(joints[k], body, pin.SE3.Identity())
    return model, model.createData(), joints


def mass_matrix(tree, q):
    """M(q) by the kernel."""
    zero = np.zeros(tree.n)
    M = np.full((tree.n, tree.n), np.nan)
    tree.fill_mass_matrix(tree.evaluate(q, zero, zero), M)
    return M


def inverse_dynamics(tree, q, p, a):
    """M a + bias - gravity by the kernel."""
    tau = np.zeros(tree.n)
    tree.dynamics(tree.evaluate(q, p, a), tau)
    return tau


def motion(rng, n):
    """Coordinates, speeds and accelerations of size 1."""
    return rng.normal(size=(3, n))
