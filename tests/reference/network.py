"""Path by a network in plain NumPy, written from the description; also for complex numbers."""

import numpy as np


def angle(y, x):
    """atan2 that complex steps pass."""
    turn = np.real(x) * np.imag(y) - np.real(y) * np.imag(x)
    return np.arctan2(np.real(y), np.real(x)) + 1j * turn / (np.real(x) ** 2 + np.real(y) ** 2)


def run(sizes, values, x):
    """Outputs of tanh layers."""
    at = 0
    for layer, (n, m) in enumerate(zip(sizes, sizes[1:], strict=False)):
        matrix, offset = values[at : at + n * m].reshape(m, n), values[at + n * m : at + m * n + m]
        x = matrix @ x + offset
        x = np.tanh(x) if layer < len(sizes) - 2 else x
        at += m * n + m
    return x


def path(network, capped, turns, o, i, alpha):
    """Point and length over the radius; `turns` are whole turns added to the angle."""
    rho_o, rho_i = (np.sqrt(x[0] ** 2 + x[1] ** 2) for x in (o, i))
    delta = angle(o[0] * i[1] - o[1] * i[0], o[0] * i[0] + o[1] * i[1]) + 2 * np.pi * turns
    side = np.sign(np.real(delta))
    a, b = np.sqrt(rho_o**2 - 1), np.sqrt(rho_i**2 - 1)
    A, B = np.arctan(a), np.arctan(b)
    phi = side * delta - A - B
    h, planar = i[2] - o[2], a + b + phi
    D = (delta**2 / (delta**2 + 0.25)) ** 2
    step = (i - o) if capped else (i - o)[:2]
    straight = np.sqrt(np.sum(step**2))
    around = np.sqrt(planar**2 + h**2) if capped else planar
    own = [phi, A, B, rho_o, rho_i, around - straight]
    runs = [(planar, a, b)]
    if capped:
        d_o, d_i = np.sqrt(np.sum(o**2)), np.sqrt(np.sum(i**2))
        first, last = np.sqrt(d_o**2 - 1), np.sqrt(d_i**2 - 1)
        meets = (np.sum(o * i) - 1 + first * last) / (d_o * d_i)
        own += [o[2], i[2], meets, first, last, o[2] + h * a / planar, i[2] - h * b / planar]
        runs.append((straight, first, last))
    length = straight + D * run(network.length_sizes, network.length, np.array(own))[0]
    if not capped:
        length = np.sqrt(length**2 + h**2)
    own.append(alpha)
    for total, first, last in runs:
        own += [np.arctan(alpha * total - first), np.arctan(alpha * total - total + last)]
    n = D * alpha * (1 - alpha) * run(network.position_sizes, network.position, np.array(own))
    middle = angle(o[1], o[0]) + 0.5 * delta
    c, s = np.cos(middle), np.sin(middle)
    off = np.array([c * n[0] - s * side * n[1], s * n[0] + c * side * n[1],
                    n[2] if capped else 0.0 * n[0]])  # fmt: skip
    return np.append((1 - alpha) * o + alpha * i + off, length)
