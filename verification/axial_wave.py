"""Axial waves in a prestretched elastic fiber run at the speed of its tangent modulus.

An undamped fiber of 0.2 m, radius 2 mm, shear modulus 200 kPa, prestress 30 kPa and 1000 kg/m^3 is
stretched to lambda = 1.3 and held at both ends. Small axial motions about that state obey the wave
equation with the speed c = sqrt(P'(lambda) / rho) in the reference coordinate, where
P'(lambda) = mu (1 + 2 lambda^-3) - sigma_0 / lambda^2 is the derivative of the nominal stress,
written out here, and with c lambda in space. Two measurements:

- a standing wave in the first mode, u ~ sin(pi s / L), over one period: frequency and decay of the
  mode's amplitude from the least-squares recursion u[n+1] = a u[n] + b u[n-1], which knows nothing
  of the integrator; speed = 2 L f;
- a pulse that runs to the right, u ~ exp(-((s - s0) / w)^2), v = -c u': its centroid, the integral
  of u s over that of u, moves at c.

What backward Euler does to a wave follows from its factor 1 / (1 - i w h) per step: the phase
atan(w h) instead of w h, so that the speed is low by (w h)^2 / 3 at most, and the decay
ln(1 + w^2 h^2) / (2 h), first order in h, where the fiber has none. A pulse is convolved with a
gamma distribution (each step adds an exponential with the mean c h): its centroid is exact, but it
spreads, and the part m that has come to the held end returns negative, which shifts the centroid
of the rest by 2 m times its distance from the end over 1 - 2 m. These formulas are the tolerances
of the speeds and the reference of the decay. What is left is measured: the mesh (order 6; the
pulse needs 16 elements to be resolved at all), and nonlinearity, 5e-6 of the pulse's speed at an
amplitude of 1e-6 of the length, proportional to it. Positions round to 1e-16 of the length, 1e-10
of the amplitude; the decay is found from its second difference and loses (w h)^2 of that.
"""

import numpy as np
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


def taut(elements: int):
    """System, and its nodes (n, 6) at the held stretch with their theta."""

    def end(t: float) -> np.ndarray:
        # described unstretched; held at the stretch from the first step on
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
    result = fm.simulate(
        system,
        (y, v),
        t_end=period,
        dt=period / steps,
        newton=NEWTON,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    at = (np.arange(200) + 0.5) / 200
    return 2.0 * displacement(result, at) @ np.sin(np.pi * at) / at.size, period / steps


def rates(u: np.ndarray, h: float) -> tuple[float, float]:
    """Angular frequency and decay rate of a damped oscillation sampled at steps of h."""
    (a, b), *_ = np.linalg.lstsq(np.stack([u[1:-1], u[:-2]], axis=1), u[2:], rcond=None)
    z = 0.5 * a + np.sqrt(complex(0.25 * a * a + b))
    return abs(np.angle(z)) / h, -np.log(abs(z)) / h


def pulse(elements: int, steps: int, points: int = 2000):
    """Displacement over frames and points of a pulse that runs to the right, times and points."""
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
    result = fm.simulate(
        system,
        (y, v),
        t_end=t_end,
        dt=t_end / steps,
        newton=NEWTON,
        method=fm.BackwardEuler(),
        control=fm.FixedSteps(),
    )
    at = (np.arange(points) + 0.5) / points
    return displacement(result, at), result.time, at


def run(elements: int = 24, steps: int = 96) -> dict[str, float]:
    """Speeds in the reference coordinate, and the decay of the standing wave.

    Parameters
    ----------
    elements : int
        Finite elements of the fiber, 16 or more.
    steps : int
        Time steps of a period of the standing wave, and of the run of the pulse; 8 or more.
    """
    if elements < 16 or steps < 8:
        raise fm.ModelError("axial_wave: needs 16 elements or more to hold the pulse, and 8 steps")
    amplitude, h = standing(elements, steps)
    frequency, decay = rates(amplitude, h)
    u, time, at = pulse(elements, steps)
    centroid = LENGTH * (u @ at) / u.sum(axis=1)
    return {
        "standing_wave_speed_m_s": float(frequency * LENGTH / np.pi),
        "decay_1_s": float(decay),
        "pulse_speed_m_s": float((centroid[-1] - centroid[0]) / time[-1]),
    }


def expected(elements: int = 24, steps: int = 96) -> dict[str, Expected]:
    """Wave equation, and backward Euler's own decay."""
    phase = 2.0 * np.pi / steps
    h = phase / (np.pi * SPEED / LENGTH)
    mesh, roundoff = 0.04 / elements**6, 1e-9 / phase**2
    decay = np.log1p(phase**2) / (2.0 * h)
    lost = 1.05 * reflected(steps)
    unresolved = 1.2e-4 * (16 / elements) ** 8
    return {
        "standing_wave_speed_m_s": Expected(
            float(SPEED),
            float(SPEED * (phase**2 / 3.0 + mesh + roundoff)),
            "phase atan(w h) of backward Euler, (w h)^2 / 3 at most; 0.04 / elements^6; round-off",
        ),
        "decay_1_s": Expected(
            float(decay),
            float(decay * (mesh + roundoff)),
            "the method's ln(1 + w^2 h^2) / (2 h), the fiber has none; the mesh; round-off",
        ),
        "pulse_speed_m_s": Expected(
            float(SPEED),
            float(SPEED * (lost + unresolved + 1e-5)),
            "what the held end reflects of a pulse spread by backward Euler (closed form); "
            "1.2e-4 (16 / elements)^8 and nonlinearity, both measured",
        ),
    }


def reflected(steps: int) -> float:
    """Relative error of the centroid's way by what has come to the held end."""
    z = np.linspace(-5.0, 5.0, 2001)
    weight = np.exp(-z * z)
    beyond = gamma.sf(1.0 - START - WIDTH * z, steps, scale=TRAVEL / steps)
    m = float(weight @ beyond / weight.sum())
    return 2.0 * m / (1.0 - 2.0 * m) * (1.0 - START - TRAVEL) / TRAVEL


def study(fine: bool = False) -> dict:
    """Errors over the time step, and the pulse on its way.

    Parameters
    ----------
    fine : bool
        Up to 512 steps instead of 128.
    """
    rows, last = [], None
    for steps in (16, 32, 64, 128, 256, 512)[: 6 if fine else 4]:
        got = run(24, steps)
        error = [
            got["standing_wave_speed_m_s"] / SPEED - 1.0,
            got["decay_1_s"] * LENGTH / SPEED,
            got["pulse_speed_m_s"] / SPEED - 1.0,
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
