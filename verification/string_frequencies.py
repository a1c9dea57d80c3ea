"""The first five transverse frequencies of a prestressed string have their exact values.

An undamped fiber of 0.3 m, radius 3 mm, 1000 kg/m^3, shear modulus 50 kPa, is straight between two
points, under its prestress of 30 kPa only. Small transverse motions obey the wave equation of a
string under the tension N = A0 sigma_0 with the mass rho A0 per length, at the stretch 1: f_n = n /
(2 L) sqrt(N / (rho A0)), n = 1, 2, ... The elastic stiffness has no influence.

- From the linearized system: stiffness and mass matrix from the tangents of the equations of motion
  at rest, and scipy's symmetric eigenvalues. The frequencies of cubic elements are above the exact
  ones (Rayleigh's principle), relatively by (n pi / elements)^6 / 60480 to leading order, which the
  measured errors approach from below; the tolerance is this value plus a tenth, plus the round-off
  of eigenvalues, 1e-13 elements^2, measured.
- From the motion: the second mode is released at an amplitude of 1e-6 of the length, and moves for
  two periods by backward Euler. Its frequency and decay follow from the least-squares recursion
  u[k+1] = a u[k] + b u[k-1] of the mode's amplitude, independent of the integrator. Backward
  Euler's factor 1 / (1 - i w h) per step gives closed forms for both at any step: the phase atan(w
  h) instead of w h, and the decay ln(1 + w^2 h^2) / (2 h), where the string has none. The frequency
  itself is extrapolated from `steps` and twice as many, with the remaining error (w h)^4 / 20. The
  amplitude changes the frequency through the stretch by less than 1e-10. Positions round to 1e-16
  of the length.
"""

import numpy as np
from _extrapolation import richardson
from _waves import exact_decay, rates
from scipy.linalg import eigh

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.3  # m
RADIUS = 3e-3  # m
DENSITY, MU, PRESTRESS = 1000.0, 5e4, 3e4
AREA = np.pi * RADIUS**2
TENSION = AREA * PRESTRESS
FIRST = np.sqrt(TENSION / (DENSITY * AREA)) / (2.0 * LENGTH)  # Hz
MODES = 5
MOVED = 2
AMPLITUDE = 1e-6  # of the length
NEWTON = fm.Newton(tolerance=1e-12)


def string(elements: int):
    """System with the string along x."""
    model = fm.Model("string", gravity=(0.0, 0.0, 0.0))
    model.add(
        fm.Fiber(
            "string",
            attach=(model.ground.at(0, 0, 0), model.ground.at(LENGTH, 0, 0)),
            radius=RADIUS,
            n_elements=elements,
            tissue=fm.Tissue(DENSITY, fm.KelvinVoigt(MU, 0.0), prestress=PRESTRESS),
        )
    )
    return fm.build(model)


def eigenfrequencies(elements: int, axis: int = 2) -> np.ndarray:
    """Frequencies of the linearized string along one axis [Hz], lowest first."""
    system = string(elements)
    y, v = system.initial_state()

    def tangent(dv_dy: float, dvdot_dv: float) -> np.ndarray:
        matrix = system.evaluate(0.0, y, v, 0.0 * v, dv_dy, dvdot_dv).tangent
        return matrix.A.tocsc().toarray()

    stiffness = tangent(0.0, 0.0)
    mass = tangent(1.0, 1.0) - tangent(1.0, 0.0)
    # the unknowns of the fixed ends are their slopes only
    free = np.zeros((elements + 1, 6), bool)
    free[1:-1, axis] = free[:, 3 + axis] = True
    keep = np.flatnonzero(free)
    block = np.ix_(keep, keep)
    for matrix in (stiffness, mass):
        assert np.abs(matrix - matrix.T)[block].max() <= 1e-12 * np.abs(matrix[block]).max()
    return np.sqrt(eigh(stiffness[block], mass[block], eigvals_only=True)) / (2.0 * np.pi)


def vibration(elements: int, steps: int):
    """Amplitude of the moved mode over two periods, and the time step."""
    system = string(elements)
    y, v = system.initial_state()
    nodes = system.split(y)[0]
    theta, k = nodes[:, 0] / LENGTH, MOVED * np.pi
    nodes[1:-1, 2] = AMPLITUDE * LENGTH * np.sin(k * theta[1:-1])
    nodes[:, 5] = AMPLITUDE * LENGTH * k * np.cos(k * theta)
    period = 1.0 / (MOVED * FIRST)
    result = fm.simulate(
        system,
        (y, v),
        t_end=2.0 * period,
        dt=period / steps,
        newton=NEWTON,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    at = (np.arange(200) + 0.5) / 200
    fiber = result.fibers["string"]
    z = np.array([fiber.centerline(at, frame)[:, 2] for frame in range(result.time.size)])
    return 2.0 * z @ np.sin(k * at) / at.size, period / steps


def run(elements: int = 16, steps: int = 64) -> dict[str, float]:
    """Frequencies of the linearized string and of the second mode in motion.

    Parameters
    ----------
    elements : int
        Finite elements of the string, 4 or more.
    steps : int
        Time steps per period of the second mode, 8 or more; a second run has twice as many.
    """
    if elements < 4 or steps < 8:
        raise fm.ModelError(
            f"string_frequencies: elements = {elements}, steps = {steps}; must be 4 and 8 or more"
        )
    found = eigenfrequencies(elements)
    values = {f"frequency_{n + 1}_Hz": float(found[n]) for n in range(MODES)}
    (omega, decay), (finer, _) = (rates(*vibration(elements, n)) for n in (steps, 2 * steps))
    phase = 2.0 * np.pi / steps  # w h of the exact vibration
    values[f"frequency_{MOVED}_in_motion_Hz"] = float(richardson(omega, finer, 2) / (2.0 * np.pi))
    exact = 2.0 * np.pi * MOVED * FIRST * np.arctan(phase) / phase
    values["phase_over_exact"] = float(omega / exact)
    values["decay_1_s"] = float(decay)
    return values


def expected(elements: int = 16, steps: int = 64) -> dict[str, Expected]:
    """Closed form of the string, and phase and decay of backward Euler."""

    def mesh(n: int) -> float:
        return 1.1 / 60480.0 * (n * np.pi / elements) ** 6

    string = "closed form of the string"
    method = "backward Euler's factor 1 / (1 - i w h)"
    values = {
        f"frequency_{n}_Hz": Expected(
            float(n * FIRST),
            float(n * FIRST * (mesh(n) + 1e-13 * elements**2)),
            f"theory of cubic elements: relative ({n} pi / elements)^6 / 60480; a tenth for higher "
            "terms; round-off",
            source=string,
        )
        for n in range(1, MODES + 1)
    }
    phase = 2.0 * np.pi / steps
    decay = exact_decay(phase, 1.0 / (MOVED * FIRST * steps))
    roundoff = 1e-9 / phase**2
    values[f"frequency_{MOVED}_in_motion_Hz"] = Expected(
        float(MOVED * FIRST),
        float(MOVED * FIRST * (phase**4 / 10.0 + mesh(MOVED) + roundoff)),
        "extrapolated; twice the next term, (w h)^4 / 20; the mesh; round-off",
        source=string,
    )
    values["phase_over_exact"] = Expected(
        1.0,
        mesh(MOVED) + roundoff,
        "relative to atan(w h); the mesh; round-off",
        source=f"{string}; {method}",
    )
    values["decay_1_s"] = Expected(
        decay,
        decay * (2.0 * mesh(MOVED) + roundoff),
        "ln(1 + w^2 h^2) / (2 h); the string has none; twice the error of the mesh in w; round-off",
        source=method,
    )
    return values


def study(fine: bool = False) -> dict:
    """Errors of the five frequencies against the mesh.

    Parameters
    ----------
    fine : bool
        The frequency in motion with up to 512 steps per period instead of 64.
    """
    rows, last = [], None
    for elements in (4, 6, 8, 12, 16, 24, 32):
        error = eigenfrequencies(elements)[:MODES] / (FIRST * np.arange(1, MODES + 1)) - 1.0
        order = [""] * MODES
        if last is not None:
            order = list(np.log(last[1] / np.abs(error)) / np.log(elements / last[0]))
        rows.append([elements, *(cell for pair in zip(error, order, strict=True) for cell in pair)])
        last = elements, np.abs(error)
    columns = ["elements"]
    for n in range(1, MODES + 1):
        columns += [f"relative error of f{n}", "order"]
    moving, last = [], None
    for steps in (16, 32, 64, 128, 256, 512)[: 6 if fine else 3]:
        error = rates(*vibration(16, steps))[0] / (2.0 * np.pi * MOVED * FIRST) - 1.0
        moving.append([steps, error, "" if last is None else np.log2(last / error)])
        last = error
    return {
        "tables": {
            "Transverse frequencies of the string": {"columns": columns, "rows": rows},
            "The second mode in motion": {
                "columns": ["steps per period", "relative error of f2", "order"],
                "rows": moving,
            },
        }
    }


def plot(numbers: dict):
    """Convergence of the frequencies."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5, 3.6), layout="constrained")
    axes = figure.subplots()
    rows = numbers["tables"]["Transverse frequencies of the string"]["rows"]
    n = np.array([row[0] for row in rows], float)
    for mode in range(MODES):
        error = [abs(row[1 + 2 * mode]) for row in rows]
        axes.loglog(n, error, "o-", label=f"mode {mode + 1}")
    axes.loglog(n, rows[0][-2] * (n / n[0]) ** -6.0, "k:", label="order 6")
    axes.set(xlabel="elements", ylabel="relative error of the frequency [-]")
    axes.legend()
    return figure
