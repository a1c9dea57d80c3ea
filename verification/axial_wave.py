"""Axial waves in a prestretched elastic fiber travel at the speed of its tangent modulus.

An undamped fiber of 0.2 m, radius 2 mm, shear modulus 200 kPa, prestress 30 kPa and 1000 kg/m^3 is
stretched to lambda = 1.3 and held at both ends. Small axial motions about that state obey the wave
equation with the speed c = sqrt(P'(lambda) / rho) in the reference coordinate, where
P'(lambda) = mu (1 + 2 lambda^-3) - sigma_0 / lambda^2 is the derivative of the nominal stress,
written out here, and with c lambda in space. Two measurements:

- a standing wave in the first mode, u ~ sin(pi s / L), over one period: frequency and decay of the
  mode's amplitude from the least-squares recursion u[n+1] = a u[n] + b u[n-1], independent of the
  integrator; speed = 2 L f;
- a pulse to the right, u ~ exp(-((s - s0) / w)^2), v = -c u': its centroid, the integral
  of u s over that of u, moves at c.

Backward Euler multiplies a wave by 1 / (1 - i w h) in a step: its phase advances by atan(w h)
instead of w h, and it decays at the rate ln(1 + w^2 h^2) / (2 h), where the fiber has no decay.
Both closed forms hold at any step: `phase_over_exact` and `decay_1_s`. The speed itself is
extrapolated from `steps` and twice as many: with atan(x) = x - x^3 / 3 + x^5 / 5 the error is (w
h)^4 / 20.

A pulse is convolved with a gamma distribution (each step adds an exponential with the mean c h):
its centroid is exact, but it spreads, and the part m that has reached the held end is reflected
with negative sign, which shifts the centroid of the rest by 2 m times its distance from the end
over 1 - 2 m.

Remaining errors: the mesh, of order 6 in frequencies, (pi / elements)^6 / 60480 by the theory of
cubic elements; the pulse needs 16 elements to be resolved; nonlinearity, 5e-6 of the pulse's speed
at an amplitude of 1e-6 of the length, proportional to it. Positions round to 1e-16 of the length,
1e-10 of the amplitude; the decay is found from its second difference and loses (w h)^2 of that.
"""

import numpy as np
from _extrapolation import richardson
from _waves import exact_decay, rates
from scipy.stats import gamma

import fibermsk as fm
from fibermsk.verify import Expected

LENGTH = 0.2  # m
MU, PRESTRESS, DENSITY = 2e5, 3e4, 1000.0
STRETCH = 1.3
MODULUS = MU * (1.0 + 2.0 * STRETCH**-3) - PRESTRESS / STRETCH**2  # N/m^2
SPEED = np.sqrt(MODULUS / DENSITY)  # m/s, in the reference coordinate
AMPLITUDE = 1e-6  # of the length
START, WIDTH, TRAVEL = 0.3, 0.08, 0.4  # of the length
NEWTON = fm.Newton(tolerance=1e-10)
EULER = {"method": fm.BackwardEuler(), "control": fm.FixedSteps()}


def taut(elements: int):
    """System, and its nodes (n, 6) at the held stretch with their theta."""

    def end(t: float) -> np.ndarray:
        # unstretched in the model; held at the stretch from the first step on
        return np.array([LENGTH * (STRETCH if t > 0.0 else 1.0), 0.0, 0.0])

    model = fm.Model("axial_wave", gravity=(0.0, 0.0, 0.0))
    model.add(
        fm.Fiber(
            "fiber",
            attach=(model.ground.at(0, 0, 0), fm.MovingPoint(end)),
            radius=2e-3,
            n_elements=elements,
            tissue=fm.Tissue(DENSITY, fm.KelvinVoigt(MU, 0.0), prestress=PRESTRESS),
        )
    )
    system = fm.build(model)
    y, v = system.initial_state()
    nodes = system.split(y)[0]
    theta = nodes[:, 0] / LENGTH
    nodes[:, [0, 3]] *= STRETCH
    return system, y, v, theta


def hermite(theta: np.ndarray, position: np.ndarray, tangent: np.ndarray, at: np.ndarray):
    """Values (n_frames, n_at) of cubic Hermite interpolation."""
    e = np.clip(np.searchsorted(theta, at, side="right") - 1, 0, theta.size - 2)
    h = theta[e + 1] - theta[e]
    x = (at - theta[e]) / h
    return (
        position[:, e] * (1.0 + x * x * (2.0 * x - 3.0))
        + tangent[:, e] * h * x * (x - 1.0) ** 2
        + position[:, e + 1] * x * x * (3.0 - 2.0 * x)
        + tangent[:, e + 1] * h * x * x * (x - 1.0)
    )


def displacement(result, at: np.ndarray) -> np.ndarray:
    """Axial displacement from the held state (n_frames, n_at) [m]."""
    fiber = result.fibers["fiber"]
    x = hermite(fiber.node_theta, fiber.position[:, :, 0], fiber.tangent[:, :, 0], at)
    return x - LENGTH * STRETCH * at


def standing(elements: int, steps: int):
    """Amplitude of the first mode over one period, and the time step."""
    system, y, v, theta = taut(elements)
    nodes = system.split(y)[0]
    nodes[:, 0] += AMPLITUDE * LENGTH * np.sin(np.pi * theta)
    nodes[:, 3] += AMPLITUDE * LENGTH * np.pi * np.cos(np.pi * theta)
    nodes[[0, -1], 0] = 0.0, LENGTH * STRETCH
    period = 2.0 * LENGTH / SPEED
    result = fm.simulate(system, (y, v), t_end=period, dt=period / steps, newton=NEWTON, **EULER)
    at = (np.arange(200) + 0.5) / 200
    return 2.0 * displacement(result, at) @ np.sin(np.pi * at) / at.size, period / steps


def pulse(elements: int, steps: int, points: int = 2000):
    """Displacement over frames and points of a pulse to the right, times and points."""
    system, y, v, theta = taut(elements)
    nodes, velocity = system.split(y)[0], system.split(v)[0]
    size, z = AMPLITUDE * LENGTH, (theta - START) / WIDTH
    u = size * np.exp(-z * z)
    du, ddu = -2.0 * z / WIDTH * u, (4.0 * z * z - 2.0) / WIDTH**2 * u
    rate = SPEED / LENGTH  # of theta
    nodes[:, 0] += u
    nodes[:, 3] += du
    velocity[:, 0], velocity[:, 3] = -rate * du, -rate * ddu
    nodes[[0, -1], 0] = 0.0, LENGTH * STRETCH
    velocity[[0, -1], 0] = 0.0
    t_end = TRAVEL / rate
    result = fm.simulate(system, (y, v), t_end=t_end, dt=t_end / steps, newton=NEWTON, **EULER)
    at = (np.arange(points) + 0.5) / points
    return displacement(result, at), result.time, at


def run(elements: int = 24, steps: int = 96) -> dict[str, float]:
    """Speeds in the reference coordinate, and the decay of the standing wave.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber, 16 or more.
    steps : int
        Time steps per period of the standing wave, which is also run with twice as many, and of the
        run of the pulse; 8 or more.
    """
    if elements < 16 or steps < 8:
        raise fm.ModelError("axial_wave: needs 16 elements or more to hold the pulse, and 8 steps")
    (omega, decay), (finer, _) = (rates(*standing(elements, n)) for n in (steps, 2 * steps))
    phase = 2.0 * np.pi / steps  # w h of the exact wave
    u, time, at = pulse(elements, steps)
    centroid = LENGTH * (u @ at) / u.sum(axis=1)
    return {
        "standing_wave_speed_m_s": float(richardson(omega, finer, 2) * LENGTH / np.pi),
        "phase_over_exact": float(omega * LENGTH / (np.pi * SPEED) * phase / np.arctan(phase)),
        "decay_1_s": float(decay),
        "pulse_speed_m_s": float((centroid[-1] - centroid[0]) / time[-1]),
    }


def expected(elements: int = 24, steps: int = 96) -> dict[str, Expected]:
    """Wave equation, and backward Euler's own phase and decay."""
    phase = 2.0 * np.pi / steps
    mesh, roundoff = 1.1 / 60480.0 * (np.pi / elements) ** 6, 1e-9 / phase**2
    decay = exact_decay(phase, phase / (np.pi * SPEED / LENGTH))
    lost = 1.05 * reflected(steps)
    unresolved = 1.2e-4 * (16 / elements) ** 8
    wave = "wave equation with the tangent modulus"
    method = "backward Euler's factor 1 / (1 - i w h)"
    return {
        "standing_wave_speed_m_s": Expected(
            float(SPEED),
            float(SPEED * (phase**4 / 10.0 + mesh + roundoff)),
            "extrapolated; twice the next term, (w h)^4 / 20; the mesh; round-off",
            source=wave,
        ),
        "phase_over_exact": Expected(
            1.0,
            mesh + roundoff,
            "over atan(w h); the mesh; round-off",
            source=f"{wave}; {method}",
        ),
        "decay_1_s": Expected(
            float(decay),
            float(decay * (mesh + roundoff)),
            "ln(1 + w^2 h^2) / (2 h), the fiber has none; the mesh; round-off",
            source=method,
        ),
        "pulse_speed_m_s": Expected(
            float(SPEED),
            float(SPEED * (lost + unresolved + 1e-5)),
            "reflection at the held end of a pulse spread by backward Euler (closed form); mesh "
            "1.2e-4 (16 / elements)^8, nonlinearity 5e-6 and as much again",
            source=wave,
        ),
    }


def reflected(steps: int) -> float:
    """Relative error of the centroid's displacement due to reflection at the held end."""
    z = np.linspace(-5.0, 5.0, 2001)
    weight = np.exp(-z * z)
    beyond = gamma.sf(1.0 - START - WIDTH * z, steps, scale=TRAVEL / steps)
    m = float(weight @ beyond / weight.sum())
    return 2.0 * m / (1.0 - 2.0 * m) * (1.0 - START - TRAVEL) / TRAVEL


def study(fine: bool = False) -> dict:
    """Errors over the time step, and the propagating pulse.

    Parameters
    ----------
    fine : bool
        Up to 512 steps instead of 128.
    """
    rows, last = [], None
    for steps in (16, 32, 64, 128, 256, 512)[: 6 if fine else 4]:
        omega, decay = rates(*standing(24, steps))
        u, time, at = pulse(24, steps)
        centroid = LENGTH * (u @ at) / u.sum(axis=1)
        error = [
            omega * LENGTH / np.pi / SPEED - 1.0,
            decay * LENGTH / SPEED,
            (centroid[-1] - centroid[0]) / time[-1] / SPEED - 1.0,
        ]
        order = ["", ""] if last is None else list(np.log2(np.divide(last, error)[:2]))
        rows.append([steps, error[0], order[0], error[1], order[1], error[2]])
        last = error
    u, time, at = pulse(48, 400)
    return {
        "tables": {
            "Axial waves": {
                "columns": [
                    "steps",
                    "relative error of the standing wave's speed",
                    "order",
                    "decay over L / c",
                    "order",
                    "relative error of the pulse's speed",
                ],
                "rows": rows,
            }
        },
        "pulse": (u[::100], time[::100], at),
    }


def plot(numbers: dict):
    """The pulse at five times with the exact one."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 3.4), layout="constrained")
    axes = figure.subplots()
    u, time, at = numbers["pulse"]
    for k, (row, t) in enumerate(zip(u, time, strict=True)):
        exact = AMPLITUDE * LENGTH * np.exp(-(((at - START - SPEED * t / LENGTH) / WIDTH) ** 2))
        axes.plot(1e3 * LENGTH * at, 1e6 * exact, color="0.7", lw=3)
        axes.plot(1e3 * LENGTH * at, 1e6 * row, f"C{k}", label=f"t = {1e3 * t:.1f} ms")
    axes.set(xlabel="reference length [mm]", ylabel="axial displacement [um]")
    axes.legend()
    return figure
