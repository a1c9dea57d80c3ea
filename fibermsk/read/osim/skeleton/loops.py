"""Loops of joints: a body of each is cut in two, and both parts are welded by a constraint.

As Simbody does it: the part that the closing joint carries has its share of the mass and inertia,
so that every coordinate moves a mass, and the parts together are the body.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from fibermsk.model.skeleton.body import Body
from fibermsk.read.osim.document import Document
from fibermsk.read.osim.skeleton.frames import Frame
from fibermsk.read.osim.skeleton.joints import JointEntry


@dataclass(frozen=True)
class Cut:
    """A joint that closes a loop, and the two frames that a constraint welds.

    `part` is the name of the part of a body that the joint carries; None for a weld, which needs
    none.
    """

    joint: JointEntry
    constraint: str
    part: str | None
    first: Frame
    second: Frame


def cut_loops(
    document: Document,
    ordered: list[JointEntry],
    closing: list[JointEntry],
    bodies: Collection[str],
    massless: Collection[str],
) -> list[Cut]:
    """Cuts of the joints that close loops, which are added to the `ordered` ones.

    `bodies` are the names of all bodies, `massless` of those without mass.
    """
    taken, cuts = set(bodies), []
    for joint in closing:
        names = ", ".join(repr(one.name) for one in _loop(ordered, joint))
        loop = f"closes a loop of the joints {names}"
        if not (joint.coordinates or joint.axes):
            name = f"loop of {joint.name}"
            document.changed(joint.element, f"{loop}: a constraint {name!r} welds both bodies")
            second = Frame(joint.child.body, joint.child.rotation, joint.child.position)
            cuts.append(Cut(joint, name, None, joint.parent, second))
            continue
        unfit = {"ground", *massless}
        if joint.child.body in unfit and joint.parent.body not in unfit:
            joint = joint.turned()
        body = joint.child.body
        if body in unfit:
            document.fail(
                joint.element,
                f"{loop} at the body {body!r}, which has no mass",
                "must close it at a body with mass, of which one part moves with the joint",
                "give the body its mass, or list another joint of the loop last",
            )
        part, k = f"{body} at {joint.name}", 1
        while part in taken:
            k += 1
            part = f"{body} at {joint.name} {k}"
        taken.add(part)
        name = f"loop of {joint.name}"
        document.changed(
            joint.element,
            f"{loop}: the body {body!r} is cut, its part {part!r} with a share of the mass moves "
            f"with the joint, and a constraint {name!r} welds both, as in Simbody",
        )
        ordered.append(replace(joint, child=joint.child._replace(body=part)))
        here = (np.eye(3), np.zeros(3))
        cuts.append(Cut(joint, name, part, Frame(body, *here), Frame(part, *here)))
    return cuts


def shared(body: Body, cuts: list[Cut]) -> list[Body]:
    """A body, and its parts if it is cut, each with the same share of mass and inertia."""
    parts = [cut.part for cut in cuts if cut.part is not None and cut.first.body == body.name]
    if not parts or body.mass is None:
        return [body]
    n = len(parts) + 1
    inertia = None if body.inertia is None else np.asarray(body.inertia) / n
    rest = replace(body, mass=body.mass / n, inertia=inertia)
    parted = [Body(part, rest.mass, body.com, inertia, strict=body.strict) for part in parts]
    return [rest, *parted]


def _loop(joints: list[JointEntry], closing: JointEntry) -> list[JointEntry]:
    """Joints of the loop that `closing` closes."""
    above = {joint.child.body: joint for joint in joints}

    def chain(body: str) -> list[JointEntry]:
        found = []
        while body in above:
            found.append(above[body])
            body = above[body].parent.body
        return found

    first, second = chain(closing.parent.body), chain(closing.child.body)
    return [j for j in first if j not in second] + [j for j in second if j not in first] + [closing]
