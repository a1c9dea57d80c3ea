import numpy as np
import pytest

from fibermsk.errors import ModelError
from fibermsk.view.window.playback import Playback


def test_plays_in_real_time_and_shows_what_is_due():
    playback = Playback([0.0, 0.1, 0.2, 0.5, 1.0])
    assert not playback.advance(0.5)
    playback.play()
    assert playback.advance(0.15) and playback.frame == 1
    assert not playback.advance(0.04) and playback.frame == 1
    assert playback.advance(0.02) and playback.frame == 2
    playback.speed = 2.0
    assert not playback.advance(0.1) and playback.frame == 2
    assert playback.time == pytest.approx(0.41)


def test_the_last_frame_is_shown_before_it_starts_again():
    playback = Playback(np.linspace(0.0, 1.0, 11))
    playback.play()
    assert playback.advance(7.3) and playback.frame == 10
    assert playback.playing and playback.time == 1.0
    assert playback.advance(0.31) and playback.frame == 3
    assert playback.time == pytest.approx(0.31)


def test_without_loop_it_stops_at_the_end_and_plays_from_the_start_again():
    playback = Playback([0.0, 1.0, 2.0])
    playback.loop = False
    playback.play()
    assert playback.advance(5.0)
    assert (playback.frame, playback.playing) == (2, False)
    assert not playback.advance(1.0)
    playback.toggle()
    assert (playback.frame, playback.playing) == (0, True)
    playback.toggle()
    assert not playback.playing


def test_pausing_stands_at_the_frame_that_is_shown():
    playback = Playback([0.0, 1.0, 2.0])
    playback.play()
    playback.advance(1.7)
    playback.pause()
    assert (playback.frame, playback.time) == (1, 1.0)


def test_seeking_takes_the_nearest_frame_and_goes_on_playing():
    playback = Playback([0.0, 1.0, 2.0], time=1.6)
    assert (playback.frame, playback.time) == (2, 2.0)
    playback.play()
    playback.seek(0.4)
    assert (playback.frame, playback.time, playback.playing) == (0, 0.0, True)
    playback.seek(2.0 + 1e-12)
    assert playback.frame == 2


def test_steps_are_cyclic_and_pause():
    playback = Playback([0.0, 1.0, 2.0])
    playback.play()
    playback.step(-1)
    assert (playback.frame, playback.playing) == (2, False)
    playback.step(2)
    assert playback.frame == 1


def test_a_single_frame_does_not_play():
    playback = Playback([3.0])
    playback.toggle()
    assert not playback.playing
    assert not playback.advance(1.0)
    assert playback.time == 3.0


@pytest.mark.parametrize("speed", [0.0, -1.0, 21.0, float("nan")])
def test_speeds_out_of_range_are_refused(speed):
    playback = Playback([0.0, 1.0])
    with pytest.raises(ModelError, match=r"must lie between 0.05 and 20"):
        playback.speed = speed
    assert playback.speed == 1.0


def test_bad_times_are_refused():
    with pytest.raises(ModelError, match="from 0 s to 1 s"):
        Playback([0.0, 1.0]).seek(1.5)
    with pytest.raises(ModelError, match="at least one"):
        Playback([])
    with pytest.raises(ModelError, match="increase"):
        Playback([0.0, 0.0])
    with pytest.raises(ModelError, match="not negative"):
        Playback([0.0, 1.0]).advance(-1.0)
