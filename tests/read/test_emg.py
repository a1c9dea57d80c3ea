"""Electromyograms as activations, against envelopes that are known."""

import numpy as np
import pytest
from scipy.signal import butter, sosfilt

import fibermsk as fm

RATE = 1000.0
T = np.arange(4000) / RATE
INNER = (T > 0.7) & (T < 3.3)  # clear of the ends
MEAN = 2.0 / np.pi  # of a rectified sine


def signals(values, time=T, **more):
    return fm.Signals("recorded", time, {"biceps": values, **more}, {"biceps": "mV"})


def carrier(amplitude, frequency=120.3):
    return amplitude * np.sin(2.0 * np.pi * frequency * T + 0.4)


def slow(t):
    """Amplitude that changes far below the low-pass corner."""
    return 0.5 + 0.3 * np.cos(2.0 * np.pi * 0.5 * t)


def test_envelope_of_a_modulated_sine_is_its_amplitude():
    found = fm.emg_envelope(signals(carrier(slow(T))), "biceps")
    np.testing.assert_allclose(found[INNER], MEAN * slow(T)[INNER], rtol=0.01)


def test_offset_and_slow_movement_are_taken_off():
    disturbed = carrier(slow(T)) + 0.8 + 0.5 * np.sin(2.0 * np.pi * 1.5 * T)
    found = fm.emg_envelope(signals(disturbed), "biceps")
    np.testing.assert_allclose(found[INNER], MEAN * slow(T)[INNER], rtol=0.02)


def test_what_the_refusal_of_an_offset_advises_works():
    shifted = signals(carrier(slow(T)) + 10.0)
    values = shifted.signal("biceps")
    centered = fm.Signals("x", shifted.time, {"biceps": values - values.mean()})
    found = fm.emg_envelope(centered, "biceps")
    np.testing.assert_allclose(found[INNER], MEAN * slow(T)[INNER], rtol=0.01)


@pytest.mark.parametrize("corner", (20.0, 35.0))
def test_high_pass_weakens_by_3_db_at_its_corner(corner):
    found = fm.emg_envelope(signals(carrier(1.0, corner)), "biceps", high_pass=corner, low_pass=2.0)
    np.testing.assert_allclose(found[INNER].mean(), MEAN / np.sqrt(2.0), rtol=5e-3)


@pytest.mark.parametrize("corner", (3.0, 6.0))
def test_low_pass_weakens_by_3_db_at_its_corner_and_delays_nothing(corner):
    beat = np.cos(2.0 * np.pi * corner * T)
    found = fm.emg_envelope(signals(carrier(1.0 + 0.5 * beat)), "biceps", low_pass=corner)
    waves = np.column_stack([np.ones_like(T), beat, np.sin(2.0 * np.pi * corner * T)])[INNER]
    level, along, across = np.linalg.lstsq(waves, found[INNER], rcond=None)[0]
    assert level == pytest.approx(MEAN, rel=2e-3)
    assert along == pytest.approx(0.5 * MEAN / np.sqrt(2.0), rel=0.02)
    assert abs(across) < 0.01 * along


def test_noise_gives_its_mean_and_the_envelope_is_never_negative(rng):
    band = butter(2, (30.0, 400.0), "bandpass", fs=RATE, output="sos")
    burst = np.where((T > 1.5) & (T < 2.5), 1.0, 0.0)
    noise = sosfilt(band, rng.standard_normal(T.size))
    found = fm.emg_envelope(signals(noise / np.abs(noise).mean() * burst), "biceps")
    assert found.min() == 0.0
    assert found[(T > 1.7) & (T < 2.3)].mean() == pytest.approx(1.0, rel=0.1)
    assert found[(T < 1.2) | (T > 2.8)].max() < 0.02


def test_activation_is_the_delayed_envelope_over_the_maximal_one():
    table = fm.emg_activation(
        signals(carrier(slow(T))), "biceps", max_voluntary=MEAN, delay=0.06, scale=0.5
    )
    assert isinstance(table, fm.Table)
    for t in np.linspace(0.9, 3.1, 23):
        assert table(t) == pytest.approx(0.5 * slow(t - 0.06), rel=0.015)
    # few corners for steps that adapt to them: twenty in a period of the low-pass frequency
    assert table.times.size == 481


def test_delay_is_that_of_biceps_by_default():
    made = [
        fm.emg_activation(signals(carrier(slow(T))), "biceps", max_voluntary=1.0, **given)
        for given in ({}, {"delay": 0.0})
    ]
    np.testing.assert_allclose(made[0].times - 0.05, made[1].times)
    np.testing.assert_array_equal(made[0].values, made[1].values)


def test_shape_bends_the_way_to_the_force():
    options = {"max_voluntary": 1.0, "delay": 0.0}
    straight = fm.emg_activation(signals(carrier(slow(T))), "biceps", **options)
    bent = fm.emg_activation(signals(carrier(slow(T))), "biceps", shape=-2.0, **options)
    u = np.asarray(straight.values)
    np.testing.assert_allclose(bent.values, (np.exp(-2.0 * u) - 1.0) / (np.exp(-2.0) - 1.0))
    assert (np.asarray(bent.values) > u)[u > 0.01].all()


def test_samples_of_a_file_do(tmp_path):
    rows = "\n".join(f"{t:.3f},{1e3 * x:.3f}" for t, x in zip(T, carrier(slow(T)), strict=True))
    path = tmp_path / "recorded.csv"
    path.write_text(f"time [s],biceps [uV]\n{rows}\n")
    found = fm.emg_envelope(fm.read_signals(path), "biceps")
    np.testing.assert_allclose(found[INNER], 1e3 * MEAN * slow(T)[INNER], rtol=0.01)


RAW = carrier(slow(T))


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (RAW, {"max_voluntary": 0.0}, "max_voluntary = 0.0; must be positive"),
        (RAW, {"max_voluntary": 0.3}, "must be at most max_voluntary = 0.3"),
        (RAW, {"delay": -0.1}, "delay = -0.1 s; must be zero or positive"),
        (RAW, {"scale": 1.5}, r"scale = 1.5; must lie in \(0, 1\]"),
        (RAW, {"shape": 1.0}, r"shape = 1.0; must lie in \[-3, 0\]"),
        (RAW, {"low_pass": 30.0}, "low_pass = 30.0 Hz; must be below high_pass = 20 Hz"),
        (RAW, {"high_pass": 300.0}, "sampling rate = .* Hz; must be above 4 high_pass = 1200 Hz"),
        (RAW, {"low_pass": 0.1}, "duration = 3.999 s; must be two periods of low_pass, 20 s"),
        (np.abs(RAW), {}, "must lie on both sides of zero.*for an envelope use"),
        (RAW + 10.0, {}, "must lie on both sides of zero.*subtract its mean if .* an offset"),
        (0.0 * T, {}, "value at all times = 0.0; must vary.*check that the channel was recorded"),
    ],
)
def test_what_cannot_be_is_refused(values, options, message):
    with pytest.raises(fm.ModelError, match=message):
        fm.emg_activation(signals(values), "biceps", **{"max_voluntary": 1.0, **options})


def test_gaps_and_unknown_columns_are_refused():
    with pytest.raises(fm.ModelError, match="have no 'deltoid'; they have: biceps"):
        fm.emg_envelope(signals(RAW), "deltoid")
    gap = np.where(T > 2.0, T + 0.1, T)
    with pytest.raises(fm.ModelError, match="interval after t = 2 s = 0.10.* s; must differ from"):
        fm.emg_envelope(signals(RAW, gap), "biceps")
    with pytest.raises(fm.ModelError, match="emg: signals = .*; must be Signals"):
        fm.emg_envelope(RAW, "biceps")
