"""Forces of fibers on bones from the contact points, independent of the assembly."""

import numpy as np


def bone_wrenches(system) -> np.ndarray:
    """Force on each bone shape and its moment about the ground origin, (n_shapes, 6) [N, N m].

    At the last evaluation; the force acts at the fiber's contact points, along the gradient of the
    distance.
    """
    total = np.zeros((system.partners.shape_link.size, 6))
    for part in system.contact.sets.bones:
        partners, runs = part.partners, part.runs
        for run, (element, shape, law) in enumerate(
            zip(runs.element, runs.shape, runs.law, strict=True)
        ):
            n = partners.points[law]
            own = slice(runs.point_start[run], runs.point_start[run] + n)
            weight = partners.weight[law, :n] * system.cables.h[element]
            force = -weight[:, None] * part.points.force[own]
            total[shape, :3] += force.sum(axis=0)
            total[shape, 3:] += np.cross(part.points.x[own], force).sum(axis=0)
    return total
