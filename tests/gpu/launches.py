"""All launches of the GPU backend, with the arguments that it makes."""

from dataclasses import replace

import numpy as np
from device_models import chain, mixed_bundle
from jointed_models import bent_chain, plain_bundle_with_states

from fibermsk.backend import build_for_cpu
from fibermsk.gpu import DeviceSystem, host_device
from fibermsk.kernels.closest import gaps, rows
from fibermsk.kernels.contact import (
    bone_passes,
    contact,
    pair_potential,
    pairs,
    scatter,
    shares,
    variational,
)
from fibermsk.kernels.fibers import activation, attachment, bending, cable, shape
from fibermsk.kernels.search import bone_bounds, device_pairs, motion, safeguard
from fibermsk.kernels.skeleton import points
from fibermsk.linalg import couplings, lines

BODIES = (
    activation.add_activation_column,
    activation.fiber_activation_slope,
    attachment.add_end_rates,
    attachment.leave_identity,
    attachment.line_to_border,
    attachment.take_reaction,
    bending.add_residual,
    bending.add_tangent,
    bone_bounds.fill_approaches,
    bone_bounds.fill_motions,
    bone_bounds.mark_near_bones,
    bone_passes.add_bone_passes,
    cable.add_residual,
    cable.add_tangent,
    cable.least_force,
    contact.fiber_run,
    contact.fiber_run_slopes,
    contact.fill_bone_run,
    couplings.solve_one_backward,
    couplings.solve_one_forward,
    couplings.subtract_others,
    device_pairs.choose_level,
    device_pairs.fill_bounds,
    device_pairs.fill_box,
    device_pairs.fill_key,
    device_pairs.find_near,
    device_pairs.span_pair,
    gaps.fiber_gap,
    lines.factor_one,
    lines.multiply_one,
    lines.solve_one,
    motion.fill_growth,
    motion.fill_least_tangent,
    motion.fill_radius,
    motion.fill_widest_section,
    pair_potential.pair_gradients,
    pair_potential.pair_tangents,
    pairs.mark_pair,
    pairs.mirror_block,
    points.add_excess,
    points.add_stray,
    points.fill_acceleration_slope,
    points.fill_velocity_slope,
    points.place_point,
    rows.fill_quadrature,
    rows.fill_row,
    safeguard.fill_bone_fraction,
    safeguard.fill_stretch_fraction,
    safeguard.fill_way,
    safeguard.run_fraction,
    scatter.pair_half_passes,
    shape.fill_hull,
    shape.fill_power,
    shares.share_gradient,
    shares.share_tangent,
    variational.add_bone_potential,
)
"""What the backend launches; a test holds this list to what it does."""


def name(body):
    """Module and function of a body."""
    return f"{body.__module__.removeprefix('fibermsk.')}.{body.__name__}"


def copied(values):
    """Arguments, or a group of them, with arrays of their own."""
    own = [
        np.array(value) if isinstance(value, np.ndarray) else value
        for value in (copied(one) if isinstance(one, tuple) else one for one in values)
    ]
    return values._make(own) if hasattr(values, "_make") else tuple(own)


def flat(values):
    """Arguments with those of groups one by one."""
    for value in values:
        yield from flat(value) if isinstance(value, tuple) else (value,)


def changed(before, after):
    """Whether any of the arguments changed."""
    pairs = zip(flat(before), flat(after), strict=True)
    return any(not np.array_equal(a, b, equal_nan=True) for a, b in pairs)


def recorded_launches():
    """A launch of every body in a Newton iteration that changes something: (tasks, arguments)."""
    host, found = host_device(), {}

    def launch(body, tasks, values):
        before = copied(values)
        host.launch(body, tasks, values)
        if body not in found and changed(before, values):
            found[body] = (tasks, before)

    device = replace(host, launch=launch)
    others = chain("half_pass", "half_pass"), mixed_bundle()
    for model in (chain(), *others, bent_chain(), plain_bundle_with_states()):
        system = DeviceSystem(build_for_cpu(model), device)
        y, v = system.initial_state()
        v = system.enforce(y, np.where(v == 0.0, 0.01, v))
        a = system.enforce_rate(y, v, v)
        residual = system.evaluate(0.0, y, v, a, tangent=False).residual
        with system.rounded():  # as Newton's method does
            tangent = system.evaluate(0.0, y, v, a, 100.0, 100.0, rates=True).tangent
        product = tangent @ residual
        increment = tangent.solver(spend=True)(-residual, 1e-2).x
        y = system.retract(0.0, y, 1e-3 * increment)
        system.evaluate(0.0, y, v, a, tangent=False)
        system.step_fraction(y, product, 0.1)
        system.least_tension(0.0, y, v)
    return found
