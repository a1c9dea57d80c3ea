"""Write limb_emg.csv: raw surface electromyograms of an elbow that is bent twice, made up.

Nobody was recorded: band-limited noise (20 to 450 Hz, as surface electrodes pick up) swells with
the effort of biceps and triceps, and on it lie the electrodes' movement, mains hum and the noise of
the amplifier. A maximal contraction would have the envelopes `MAX_VOLUNTARY`.
"""

from pathlib import Path

import numpy as np
from scipy.signal import butter, sosfiltfilt

RATE, DURATION, SEED = 1000.0, 6.0, 20040  # Hz, s
MAX_VOLUNTARY = {"biceps": 0.6, "triceps": 0.4}  # mV
# Bursts: middle [s], width [s], effort over the maximal one.
BURSTS = {
    "biceps": ((1.2, 0.55, 0.45), (4.0, 0.65, 0.55)),
    "triceps": ((2.3, 0.35, 0.25), (5.2, 0.35, 0.3)),
}
TONE = 0.02  # effort between the bursts


def effort(muscle, t):
    """Effort of a muscle over time, over the maximal one."""
    bursts = BURSTS[muscle]
    return TONE + sum(top * np.exp(-(((t - at) / wide) ** 4)) for at, wide, top in bursts)


def record(muscle, t, rng):
    """Voltage over time [mV]."""
    band = butter(2, (20.0, 450.0), "bandpass", fs=RATE, output="sos")
    noise = sosfiltfilt(band, rng.standard_normal(t.size))
    # the mean of the rectified noise is the envelope
    raw = noise / np.abs(noise).mean() * effort(muscle, t) * MAX_VOLUNTARY[muscle]
    slow = butter(2, 3.0, "lowpass", fs=RATE, output="sos")
    edge = round(RATE)  # where the filter swings in
    moved = sosfiltfilt(slow, rng.standard_normal(t.size + 2 * edge))[edge:-edge]
    raw += 0.03 * moved / moved.std() + 0.05
    raw += 0.004 * np.sin(2.0 * np.pi * 50.0 * t + rng.uniform(0.0, 6.0))
    return raw + 0.003 * rng.standard_normal(t.size)


def table():
    """Text of the file."""
    rng = np.random.default_rng(SEED)
    t = np.arange(round(DURATION * RATE)) / RATE
    columns = [record(muscle, t, rng) for muscle in BURSTS]
    lines = [
        "# made up by make_limb_emg.py, nobody was recorded",
        ",".join(["time [s]", *(f"{muscle} [mV]" for muscle in BURSTS)]),
        *(f"{row[0]:.3f},{row[1]:.4f},{row[2]:.4f}" for row in np.column_stack([t, *columns])),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_name("limb_emg.csv").write_text(table(), encoding="utf-8")
