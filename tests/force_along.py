"""Axial force along a fiber from its end force, without the stress law: loads, contact, inertia."""

import numpy as np

from fibermsk.elements.hermite import hermite
from fibermsk.results.centerline import combine, hermite_places
from fibermsk.system.contact.loads import point_loads
from fibermsk.system.contact.samples import ContactSamples


def from_weight_and_inertia(result, name, density, gravity):
    """Axial force at the samples, (n_frames, n_samples), where no contact has a part along t.

    T' = -rho A0 |X'| (g - x_tt) . t, integrated from the origin with parabolas through the samples
    of each element; accelerations are differences between the frames.
    """
    fiber, time = result.fibers[name], result.time
    place, shape, slope = hermite_places(fiber.node_theta, fiber.theta)
    x = combine(fiber.position, fiber.tangent, place, shape)
    tangent = combine(fiber.position, fiber.tangent, place, slope)
    speed = np.linalg.norm(tangent, axis=-1)
    tangent /= speed[..., None]
    mass = density * np.pi * fiber.radius**2 * speed  # incompressible
    acceleration = np.gradient(np.gradient(x, time, axis=0), time, axis=0)
    load = mass * np.sum((np.asarray(gravity) - acceleration) * tangent, axis=-1)
    xi = 0.5 * (1.0 + np.polynomial.legendre.leggauss(3)[0])
    fit = np.linalg.inv(np.vander(xi, 3, increasing=True))
    integral = fit.T @ (np.append(xi, 1.0)[None] ** np.arange(1, 4)[:, None] / [[1], [2], [3]])
    h = np.diff(fiber.node_theta)
    part = (load.reshape(len(time), -1, 3) @ integral) * h[:, None]
    before = np.cumsum(part[..., 3], axis=1) - part[..., 3]
    done = (before[..., None] + part[..., :3]).reshape(len(time), -1)
    return end_force(fiber)[:, None] - done


def end_force(fiber):
    """Tension at the origin, (n_frames,)."""
    first = fiber.tangent[:, 0]
    return np.sum(fiber.force_origin * first, axis=1) / np.linalg.norm(first, axis=1)


def from_points(system, result, frame):
    """Axial force at the samples of all fibers at an inner frame, from the loads along them.

    The force through a cut is that at the origin minus all loads before the cut: weight and inertia
    of the masses at quadrature points, contact at the system's contact points, spaced as in the
    run. Each load is spread evenly over the part of the element that its point stands for. What
    contacts carry beside the section is subtracted. Returns also by how much the forces on the
    fiber fail to close [N].
    """
    cables, time = system.cables, result.time
    around, dt = result.at_frames(slice(frame - 1, frame + 2)), np.diff(time)[frame - 1 : frame + 1]
    nodes = [
        np.concatenate([np.hstack([f.position[k], f.tangent[k]]) for f in around.fibers.values()])
        for k in range(3)
    ]
    rates = [(b - a) / step for a, b, step in zip(nodes[:2], nodes[1:], dt, strict=True)]
    acceleration = (rates[1] - rates[0]) / (0.5 * dt.sum())
    q = [result.coordinates[name][frame] for name in system.skeleton.independent]
    y = np.r_[nodes[1].ravel(), q, np.zeros(system.n - nodes[1].size - len(q))]
    system.contact.release()
    at, _ = system.configuration.at(float(time[frame]), y, 0.0 * y, 0.0 * y)
    places = np.broadcast_arrays(*hermite(cables.xi, cables.h[:, None]))
    local = acceleration[cables.elements].reshape(-1, 4, 3)
    moved = np.einsum("aek,eai->eki", np.stack(places), local)
    mass = cables.weight * cables.line_density
    body = mass[..., None] * (system.tree.bodies.gravity - moved)
    ends = np.append(0.0, (cables.weight[0] / cables.h[0]).cumsum())
    n, m = mass.shape
    of_mass = np.repeat(np.arange(n), m), np.tile(ends[:-1], n), np.tile(ends[1:], n)
    loads = [(*of_mass, body.reshape(-1, 3)), *point_loads(system.contact)]
    element, low, high, load = (np.concatenate(part) for part in zip(*loads, strict=True))
    start, h = cables.theta[cables.elements[element, 0]], cables.h[element]
    low, high = start + low * h, start + high * h
    beside = carried(system, at)
    found = {}
    for f, (name, fiber) in enumerate(result.fibers.items()):
        own = cables.fiber[element] == f
        over = (high - low)[own, None]
        part = ((fiber.theta - low[own, None]) / over).clip(0.0, 1.0)
        force = fiber.force_origin[frame] - part.T @ load[own]
        place, _, slope = hermite_places(fiber.node_theta, fiber.theta)
        tangent = combine(fiber.position[frame], fiber.tangent[frame], place, slope)
        along = np.sum(force * tangent, axis=1) / np.linalg.norm(tangent, axis=1)
        left = fiber.force_origin[frame] - load[own].sum(axis=0) + fiber.force_insertion[frame]
        found[name] = along - beside[cables.fiber == f].ravel(), np.linalg.norm(left)
    return found


def carried(system, at):
    """Energy of contact per current length at the samples, (n_elements, 3) [N]."""
    xi = 0.5 * (1.0 + np.polynomial.legendre.leggauss(3)[0])
    samples = ContactSamples(system.cables, system.partners, system.tree, xi)
    samples.evaluate(at.nodes, at.motion.links)
    return samples.axial_forces()[1]
