"""A taut fiber slides without friction around a fixed cylinder.

A fiber of 0.2 m, radius 2 mm, shear modulus 100 kPa, prestress 40 kPa, no weight, initially
straight and not in contact with a fixed cylinder (radius 20 mm, axis y), is wrapped around it by
moving its ends: each free part rotates by half the wrap angle about the cylinder, and the fiber is
stretched by a fifth of its length. Contact stiffness 2 kN/m, limit 4. Static.

From equilibrium alone it follows that

- the resultant on the cylinder is 2 T sin(phi / 2), with the tension T of the free parts and the
  angle phi between them;
- where the fiber is on a circle of radius d about the axis, its line force is T / d, and the
  penalty law gives the radius: kappa g / (1 + gamma g) = -T / d with g = d / (R + r) - 1;
- the tension is constant along that circle;
- without friction the force on the cylinder has no moment about its axis: the tension times its
  moment arm is constant along the fiber, on the cylinder and beside it.

(The second holds in this form for formulation="half_pass", the paper's line force.)

The axial force of a section of constant volume is that of its stretch minus half the line force
times the radius; see "Axial force under pressure" in docs/theory.md, where a solid ring
(_solid_ring.py) confirms it. It is the same in the middle and at the ends, except for a part (r /
2d)^2: the tissue in the middle is stretched 4 % more than a free fiber under this force. The
paper's half passes neglect this: their axial force is that of the stretch, and increases along the
soft contact by half the relative overlap (1 %).

The exact solution of the whole problem: the force vector F along the fiber satisfies dF/ds =
-lambda f(g) e_r, and dx/ds = lambda F / |F|, over the reference length s from the middle (symmetry)
to the end, with lambda(N) from the law and the current radius r = r_0 / sqrt(lambda). Tension and
distance in the middle follow from the position of the end. It is computed with scipy's DOP853 with
the tolerance 1e-12, restarted where contact begins, and a root search, without code of the package.
This solution includes an effect that textbooks neglect: in a soft contact the fiber penetrates by
|g| d, so that the force on the circle has a smaller moment arm than the free parts, and is larger
by the integral of F dd, about T |g| / 2.

With formulation="variational" the forces are derived from the energy e = (r_0 + R) Psi(g) lambda
per reference length, Psi' = -F. The line force is then F (r_0 + R) / (r + R), and the vector F
above is the force conjugate to the slope, of magnitude N(lambda) + de/dlambda: the sum of the axial
force of the section and of e / lambda, the energy of the contact per length, which resists
elongation. The same integration with these two terms gives the exact solution.

The error of the mesh originates where contact begins: the line force has a kink there, inside an
element, and the error of five Gauss points depends on its position. The errors therefore decrease
with order 2 (forces on the ends) to 3 (tension and radius on the circle), but not smoothly. The
tolerances are c / elements^order with the largest products measured on 34 meshes of 12 to 110
elements, six angles and both formulations (for the tension in the middle, its moment and its
spread, 8 meshes and three angles), plus a tenth; the spread of the tension, a difference of
extremes, decreases with the power 2.5.

The cylinder may be replaced by a triangle mesh with `around` vertices on its circumference and as
many per length along it. Its field on a grid of 3/4 of an edge differs from the distance of the
cylinder with order 2 in 1 / around: the polygon is inside the circle, by up to R (pi / around)^2 /
2, and the normals oscillate. The tolerances then include c / around^2 with a c measured in the same
way, over 16 to 128 vertices.
"""

from __future__ import annotations

import _meshes
import numpy as np
from _wrenches import bone_wrenches
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, root

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.2  # m
RADIUS, CYLINDER = 2e-3, 2e-2  # m
MU, PRESTRESS = 1e5, 4e4  # N/m^2
AREA = np.pi * RADIUS**2
STIFFNESS, LIMIT = 2e3, 4.0  # N/m, 1
PULL = 1.2
CONTACT = RADIUS + CYLINDER
STEPS = 12  # number of equilibria during the motion of the ends
INNER = 0.15  # of the angle to each side of the middle: the circle, away from where contact begins
VARIATIONAL, HALF_PASS = "variational", "half_pass"


def end(half_angle: float, part: float) -> np.ndarray:
    """Position of the right end after a part of its motion, in the plane (x, z) [m].

    The line from it touches the circle of radius CONTACT at `part * half_angle` from the top;
    at the end of the motion, circle and line together are PULL times as long as half the fiber.
    """
    a = part * half_angle
    free = 0.5 * LENGTH * (1.0 + part * (PULL - 1.0)) - CONTACT * a
    return CONTACT * np.array([np.sin(a), np.cos(a)]) + free * np.array([np.cos(a), -np.sin(a)])


def drum_shape(around: int) -> fm.InfiniteCylinder | fm.Mesh:
    """The cylinder about the y axis, or its mesh, 0.1 m long, with `around` vertices per turn."""
    if not around:
        return fm.InfiniteCylinder((0, 0, 0), (0, 1, 0), CYLINDER)
    upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # z becomes y
    return _meshes.cylinder(CYLINDER, 0.1, around).placed(upright, (0.0, -0.05, 0.0))


def solve(elements: int, angle: float, formulation: str = VARIATIONAL, around: int = 0):
    """System and result with one frame at rest, around the cylinder."""
    half = 0.5 * np.radians(angle)

    def motion(side: float):
        def at(t: float) -> tuple[float, float, float]:
            x, z = end(half, t * t * (3.0 - 2.0 * t))  # zero velocity at the end
            return side * float(x), 0.0, float(z)

        return fm.MovingPoint(at)

    model = fm.Model("wrap", gravity=(0.0, 0.0, 0.0))
    drum = fm.Body("drum", shapes=drum_shape(around))
    model.add(drum)
    model.add(fm.Weld(model.ground, drum))
    fiber = fm.Fiber(
        "fiber",
        attach=(motion(-1.0), motion(1.0)),
        radius=RADIUS,
        n_elements=elements,
        tissue=fm.Tissue(1000.0, fm.KelvinVoigt(MU, 100.0), prestress=PRESTRESS),
    )
    model.add(fiber)
    law = fm.PenaltyContact(STIFFNESS, LIMIT)
    model.add(fm.Contact(fiber, drum, law, formulation=formulation))
    system = fm.build(model)
    y, v = system.initial_state()
    for part in np.linspace(0.0, 1.0, STEPS + 1)[1:]:
        y, v = fm.equilibrium(system, (y, v), t=float(part))
    # one step in equilibrium, for the forces along the fiber
    once = {"method": fm.BackwardEuler(), "control": fm.FixedSteps()}
    return system, y, fm.simulate(system, (y, v), t_end=1.0, dt=1.0, **once)


def run(
    elements: int = 32, angle: float = 120.0, formulation: str = VARIATIONAL, around: int = 0
) -> dict[str, float]:
    """Tension, radius and resultant of the wrapped fiber.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber; 12 or more.
    angle : float
        Angle by which the path turns [degrees], 90 to 150.
    formulation : str
        Of the contact: "variational" or "half_pass".
    around : int
        Vertices around a mesh in place of the cylinder, 16 or more; 0 for the cylinder itself.
    """
    if around and around < 16:
        raise fm.ModelError(f"wrap_cylinder: around = {around}; must be 16 or more, or 0")
    if elements < 12 or not 90.0 <= angle <= 150.0:
        raise fm.ModelError(
            f"wrap_cylinder: elements = {elements}, angle = {angle:g}; must be 12 or more elements "
            "and an angle of 90 to 150 degrees"
        )
    system, y, result = solve(elements, angle, formulation, around)
    fiber = result.fibers["fiber"]
    evaluation = system.evaluate(1.0, y, 0.0 * y, 0.0 * y, tangent=False)
    wrench = bone_wrenches(system)[0]
    pulls = -evaluation.reactions[:, [0, 2]]  # on the supports of the ends, in (x, z)
    tension = np.linalg.norm(pulls, axis=1)
    half_turn = 0.5 * np.arccos(-(pulls[0] @ pulls[1]) / np.prod(tension))
    x, z = sampled(fiber)
    force = fiber.axial_force[-1]
    wrapped = force[np.abs(np.arctan2(x, z)) <= np.radians(INNER * angle)]
    T = force[force.size // 2]
    d = np.linalg.norm(fiber.centerline(np.array([0.5]), -1)[0])
    end_x, _, end_z = fiber.position[-1, -1]
    moment = end_z * pulls[1, 0] - end_x * pulls[1, 1]
    return {
        "tension_end_N": float(tension[1]),
        "tension_middle_N": float(T),
        "radius_middle_m": float(d),
        "radius_over_penalty_law": float(d / circle(T, HALF_PASS)),
        "tension_spread_on_circle": float(np.ptp(wrapped) / wrapped.mean()),
        "tension_middle_over_end": float(T / tension[1]),
        "moment_spread_along_fiber": float(np.ptp(moments(fiber, formulation)) / abs(moment)),
        "resultant_N": float(-wrench[2]),
        "resultant_over_2T_sin": float(-wrench[2] / (2.0 * tension[1] * np.sin(half_turn))),
        "end_moment_over_Td_middle": float(abs(moment) / (T * d)),
    }


def moments(fiber, formulation: str) -> np.ndarray:
    """Moment about the axis of the force along the fiber and its contact, element means [N m].

    The means have the weight 6 xi (1 - xi), as in the discrete equilibrium.
    """
    x, z = sampled(fiber)
    ahead, back = (fiber.centerline(fiber.theta + s, -1)[:, [0, 2]].T for s in (1e-6, -1e-6))
    tangent = (ahead - back) / np.linalg.norm(ahead - back, axis=0)
    stretch, d = fiber.stretch[-1], np.hypot(x, z)
    carried = [contact(*at, formulation)[2] for at in zip(d, stretch, strict=True)]
    moment = (fiber.axial_force[-1] + carried) * np.abs(x * tangent[1] - z * tangent[0])
    xi, weight = 0.5 + np.sqrt(0.15) * np.array([-1, 0, 1]), np.array([5, 8, 5]) / 18
    return moment.reshape(-1, 3) @ (6.0 * weight * xi * (1.0 - xi))


def sampled(fiber) -> np.ndarray:
    """Coordinates (x, z) where the fields are sampled, in the last frame (2, n_samples) [m]."""
    return fiber.centerline(fiber.theta, -1)[:, [0, 2]].T


def axial_force(stretch: float) -> float:
    """Tension of the tissue at a stretch [N]."""
    return AREA * (MU * (stretch - stretch**-2) + PRESTRESS / stretch)


def contact(d: float, stretch: float, formulation: str) -> tuple[float, float, float]:
    """Line force per current length [N/m], and two forces along the fiber [N].

    They are due to the pressure on the section, and to the energy of the contact per length.
    """
    r = RADIUS / np.sqrt(stretch)
    g = min(d / (CYLINDER + r) - 1.0, 0.0)
    F = -STIFFNESS * g / (1.0 + LIMIT * g)
    if formulation == HALF_PASS:
        return F, 0.0, 0.0
    energy = STIFFNESS * (g - np.log1p(LIMIT * g) / LIMIT) / LIMIT
    g_slope = d * r / (2.0 * stretch * (CYLINDER + r) ** 2)
    return F * CONTACT / (CYLINDER + r), -CONTACT * F * stretch * g_slope, CONTACT * energy


def stretch_of(force: float, d: float = np.inf, formulation: str = HALF_PASS) -> float:
    """Stretch at which the section carries a force [N], in contact at the distance d if given."""

    def excess(stretch: float) -> float:
        along = sum(contact(d, stretch, formulation)[1:]) if np.isfinite(d) else 0.0
        return axial_force(stretch) + along - force

    return brentq(excess, 0.5, 5.0, xtol=1e-15)


def slope(s: float, state: np.ndarray, closed: bool, formulation: str) -> np.ndarray:
    """Derivative of (x, z, F_x, F_z) in the reference length."""
    x, F = state[:2], state[2:]
    size, d = np.hypot(*F), np.hypot(*x)
    stretch = stretch_of(size, d if closed else np.inf, formulation)
    line_force = contact(d, stretch, formulation)[0] if closed else 0.0
    return np.r_[stretch * F / size, -stretch * line_force * x / d]


def path(d: float, force: float, formulation: str, dense: bool = False):
    """Integrate from the middle to the end; the state there, or the two parts of the solution."""

    def opens(s: float, state: np.ndarray, *_) -> float:
        # both formulations agree where the gap is zero
        r = RADIUS / np.sqrt(stretch_of(np.hypot(*state[2:])))
        return float(np.hypot(*state[:2]) / (CYLINDER + r) - 1.0)

    opens.terminal, opens.direction = True, 1.0
    options = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-15, "dense_output": dense}
    half, start = 0.5 * LENGTH, [0.0, d, force, 0.0]
    parts = [
        solve_ivp(slope, (0.0, half), start, args=(True, formulation), events=opens, **options)
    ]
    if parts[0].status == 1:
        begin = (parts[0].t[-1], half)
        state = parts[0].y[:, -1]
        parts.append(solve_ivp(slope, begin, state, args=(False, formulation), **options))
    return parts if dense else parts[-1].y[:, -1]


def circle(force: float, formulation: str) -> float:
    """Radius of the circle on which the contact carries a force along the fiber [m]."""

    def excess(d: float) -> float:
        return contact(d, stretch_of(force, d, formulation), formulation)[0] - force / d

    outer = CYLINDER + RADIUS / np.sqrt(stretch_of(force))
    return brentq(excess, outer * (1.0 - 0.5 / LIMIT), outer, xtol=1e-16)


def exact(angle: float, formulation: str) -> tuple[float, float]:
    """Distance from the axis [m] and force along the fiber [N] in the middle."""
    target = end(0.5 * np.radians(angle), 1.0)
    first = axial_force(PULL)

    def middle(unknown: np.ndarray) -> tuple[float, float]:
        # the solution leaves the circle exponentially: search on the logarithm
        force = first * (1.0 + unknown[1])
        return circle(force, formulation) * (1.0 + np.exp(unknown[0])), force

    def miss(unknown: np.ndarray) -> np.ndarray:
        return (path(*middle(unknown), formulation)[:2] - target) / LENGTH

    for guess in (-8.0, -6.0, -10.0, -5.0, -12.0):
        found = root(miss, [guess, 0.0], method="hybr", tol=1e-13)
        if np.abs(found.fun).max() < 1e-10:
            return middle(found.x)
    raise RuntimeError(f"no exact solution found: {found.fun}")


def tensions(state: np.ndarray, formulation: str) -> np.ndarray:
    """Axial force of the section [N] at states (4, n) in contact."""
    x, z, Fx, Fz = state
    size, d = np.hypot(Fx, Fz), np.hypot(x, z)
    stretches = [stretch_of(F, at, formulation) for F, at in zip(size, d, strict=True)]
    found = zip(d, stretches, strict=True)
    return size - [contact(at, stretch, formulation)[2] for at, stretch in found]


def expected(
    elements: int = 32, angle: float = 120.0, formulation: str = VARIATIONAL, around: int = 0
) -> dict[str, Expected]:
    """Exact solution with soft contact, and equilibrium."""
    d, middle_force = exact(angle, formulation)
    touching, free = path(d, middle_force, formulation, dense=True)
    end_x, end_z, Fx, Fz = free.y[:, -1]
    outer = float(np.hypot(Fx, Fz))
    state = touching.sol(np.linspace(0.0, touching.t[-1], 401))
    force = tensions(state, formulation)
    wrapped = force[np.arctan2(state[0], state[1]) <= np.radians(INNER * angle)]
    T = force[0]
    # additional tolerance of a mesh instead of the cylinder
    facets = 1.0 / around**2 if around else 0.0
    of_mesh = f" and {{:g}} / {around}^2 for the mesh, measured" if around else ""
    values = {}
    for name, value, c, order, m in (
        ("tension_end_N", outer, 0.2, 2.0, 2.5),
        ("tension_middle_N", T, 38.0, 3.0, 1.9),
        ("tension_middle_over_end", T / outer, 38.0, 3.0, 1.9),
        ("radius_middle_m", d, 4.8, 3.0, 3.1),
        ("radius_over_penalty_law", d / circle(T, HALF_PASS), 5.2, 3.0, 3.2),
        ("resultant_N", -2.0 * Fz, 0.15, 2.0, 2.2),
        ("end_moment_over_Td_middle", (end_z * Fx - end_x * Fz) / (T * d), 16.0, 3.0, 3.4),
    ):
        values[name] = Expected(
            float(value),
            float(value) * (c / elements**order + m * facets),
            f"relative {c:g} / elements^{order:g}, measured: contact begins inside an element"
            f"{of_mesh.format(m)}",
            kind="independent",
            source="equations with soft contact by scipy's DOP853 at 1e-12",
        )
    values["tension_spread_on_circle"] = Expected(
        float(np.ptp(wrapped) / wrapped.mean()),
        1.4 / elements**2 + 5.5 * facets,
        "tension varies near the ends of the circle in soft contact; 1.4 / elements^2"
        f"{of_mesh.format(5.5)}, measured",
        kind="independent",
        source="equations with soft contact by scipy's DOP853 at 1e-12",
        scale=1.0,
    )
    values["moment_spread_along_fiber"] = Expected(
        0.0,
        5e-3 * max(1.0, (16.0 / elements) ** 2) + 5.5 * facets,
        "equilibrium of any part of the fiber: half a percent with 16 elements or more",
        kind="consistency",
        source="equilibrium",
    )
    values["resultant_over_2T_sin"] = Expected(
        1.0,
        1e-9 + 3.3 * facets,
        "equilibrium of the whole, exact for any mesh of the fiber: Newton's method"
        + ("; with triangles the tensions of both ends differ" if around else ""),
        kind="consistency",
        source="equilibrium",
    )
    return values


def study(fine: bool = False) -> dict:
    """Errors against the mesh, and the tension along the fiber.

    Parameters
    ----------
    fine : bool
        Up to 128 elements instead of 64, and 90 and 150 degrees besides 120.
    """
    tables, curves = {}, {}
    for angle in (90.0, 120.0, 150.0) if fine else (120.0,):
        rows, want = [], expected(angle=angle)
        for n in (16, 32, 64, 128)[: 4 if fine else 3]:
            got = run(n, angle)
            names = ("tension_end_N", "tension_middle_N", "radius_middle_m", "resultant_N")
            error = [got[name] / want[name].value - 1.0 for name in names]
            rows.append(
                [n, *error, got["tension_spread_on_circle"], got["resultant_over_2T_sin"] - 1.0]
            )
        tables[f"Wrap around a cylinder, {angle:g} degrees"] = {
            "columns": [
                "elements",
                "relative error of the free tension",
                "of the tension in the middle",
                "of the radius",
                "of the resultant",
                "spread of the tension on the circle",
                "resultant / (2 T sin(phi/2)) - 1",
            ],
            "rows": rows,
        }
    tables["Wrap around a mesh of the cylinder, 120 degrees, 32 elements"] = mesh_table(fine)
    for n in (16, 32, 64):
        fiber = solve(n, 120.0)[2].fibers["fiber"]
        curves[n] = (fiber.theta, fiber.axial_force[-1], sampled(fiber))
    touching, free = path(*exact(120.0, VARIATIONAL), VARIATIONAL, dense=True)
    s = np.linspace(0.0, 0.5 * LENGTH, 401)
    inside = s <= touching.t[-1]
    state = np.concatenate([touching.sol(s[inside]), free.sol(s[~inside])], axis=1)
    force = np.r_[tensions(state[:, inside], VARIATIONAL), np.hypot(*state[2:, ~inside])]
    return {"tables": tables, "curves": curves, "exact": (0.5 + s / LENGTH, *state[:2], force)}


def mesh_table(fine: bool) -> dict:
    """Differences from the wrap around the cylinder itself."""
    names = ("tension_end_N", "tension_middle_N", "radius_middle_m", "resultant_N")
    rows, exact = [], run()
    for around in (16, 32, 64, 128)[: 4 if fine else 3]:
        got = run(around=around)
        triangles = drum_shape(around).report.faces
        rows.append([around, triangles, *(got[name] / exact[name] - 1.0 for name in names)])
    columns = ["vertices around", "triangles", "relative difference of the free tension"]
    columns += ["of the tension in the middle", "of the radius", "of the resultant"]
    return {"columns": columns, "rows": rows}


def plot(numbers: dict):
    """Shape around the cylinder, and tension along the fiber, with the exact ones."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    theta, x, z, tension = numbers["exact"]
    turn = np.linspace(0.0, 2.0 * np.pi, 100)
    left.fill(1e3 * CYLINDER * np.cos(turn), 1e3 * CYLINDER * np.sin(turn), color="0.85")
    left.plot(1e3 * np.r_[-x[::-1], x], 1e3 * np.r_[z[::-1], z], color="0.6", lw=3, label="exact")
    right.plot(theta, tension, color="0.6", lw=3, label="exact")
    for k, (n, (at, force, points)) in enumerate(numbers["curves"].items()):
        if n == 32:
            left.plot(*(1e3 * points), "k.", ms=2, label="32 elements")
        half = at >= 0.5
        right.plot(at[half], force[half], f"C{k}.-", lw=0.5, ms=3, label=f"{n} elements")
    left.set(xlabel="x [mm]", ylabel="z [mm]", aspect="equal")
    right.set(xlabel="theta [-]", ylabel="tension [N]")
    left.legend()
    right.legend()
    return figure
