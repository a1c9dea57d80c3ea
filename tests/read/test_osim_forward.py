"""Published models of OpenSim run forward with their own forces, or say in one line why not."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from opensim_peer import run_script

import fibermsk as fm
from fibermsk.solvers.initial import accelerations

EXCITATION = 0.05
FORWARD = Path(__file__).with_name("forward_in_opensim.py")

RUN = (
    "NMSM_Forward_Dynamics/arm22_dG",
    "MoBL-ARMS_noncommercial/MoBL_ARMS_model_for_testing_opensim",
    "opensim-core/ThoracoscapularShoulderModel",
    "opensim-core/gait10dof18musc_subject01",
    "opensim-core/testGeometryPathWrapping_ShoulderWrappingWithPathSprings",
    "opensim-core/test_wrapAllVis",
    "opensim-models/Rajagopal2016",
    "opensim-models/Tug_of_War_Millard",
    "opensim-models/arm26",
    "opensim-models/arm26_reference/arm26_tutorial",
    "opensim-models/double_pendulum",
    "opensim-models/gait10dof18musc",
    "opensim-models/gait10dof18musc_reference/subject01",
    "opensim-models/leg6dof9musc",
    "opensim-models/subject01",
)
REFUSED = {
    # the axes of r_x and r_z coincide, on a thorax without mass
    "MoBL-ARMS_noncommercial/MOBL_ARMS_41": (
        r"r_x = 0, r_z = 0 \(rad or m\) move no mass together, .* gimbal lock, .* \(r_y = -1.5708\)"
    ),
    # 14 and 28 max_isometric_force at the start
    "das4/das4_v4": r"line muscle 'FPL': length of the path = 0.33.* at most 2.01e\+03 N \(10 ",
    # points of the file are left out, so that a tendon is longer than its path
    "opensim-core/WrapPathCustomJointMomentArmTest": (
        r"line muscle 'vas_int_r': length of the path = 0.2536.* longer than the whole path by "
        "0.0624 m: shorten tendon_slack_length"
    ),
    "opensim-core/arm26_static_opt/arm26": (
        "'TRIlong': Thelen2003Muscle: minimum_activation = 0.0; must be 0.01 or more, as in OpenS"
    ),
    "opensim-core/testWrapObject_updateFromXMLNode30515": "nothing can move; must have a fiber",
    "opensim-models/wrist": (
        r"body 'ulna': mass = None; must be given; .* none of the 28 bodies .* has a mass"
    ),
}
FREE = {
    "opensim-models/gait10dof18musc": ("pelvis_tx", "pelvis_ty"),
    "opensim-models/subject01": ("pelvis_tx", "pelvis_ty"),
    "opensim-core/gait10dof18musc_subject01": ("pelvis_tx", "pelvis_ty"),
    "opensim-models/gait10dof18musc_reference/subject01": ("pelvis_tx", "pelvis_ty"),
    "opensim-models/Rajagopal2016": ("pelvis_tx", "pelvis_ty", "pelvis_tz"),
}
"""Translations of bodies that fly freely: only weight acts along them."""


class Last:
    """Keeps the last state."""

    name = "last"

    def start(self, now):
        self.state = now.memory.state

    def step(self, memory, now):
        self.state = now.memory.state

    def finish(self, memory, now):
        pass


def acting(file, values=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ModelWarning)
        model = fm.read_osim(file)
        return fm.with_muscle_forces(fm.with_parameters(model, values or {}), EXCITATION)


def run(model, t_end, name=""):
    """Run a model and check what must hold for each; returns the result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fm.ModelWarning)
        system, last = fm.build(model), Last()
        result = fm.simulate(
            system, t_end=t_end, dt=t_end / 5, control=fm.AdaptiveSteps(1e-3), observers=[last]
        )
    assert result.status == "success"
    assert all(np.isfinite(values).all() for values in result.coordinates.values())
    assert all(np.isfinite(one["length"]).all() for one in result.muscles.values())
    assert result.stats["position_drift"] < 1e-10
    assert result.stats["velocity_drift"] < 1e-9
    state = last.state
    assert state.t == t_end
    energy = system.energy(state.y, state.v)
    assert np.isfinite(energy.total)
    # inner forces leave the momentum along free translations to the weight
    bones, (y, v) = system.skeleton, (state.y, state.v)
    rates = accelerations(system, state.t, y, v)
    held = bones.inverse_dynamics(y[: bones.n], v[: bones.n], rates[: bones.n])
    weight = 9.81 * bones.mass_and_center(y[: bones.n])[0]
    for one in FREE.get(name, ()):
        assert abs(held[bones.independent.index(one)]) < 1e-9 * weight
    return result


def test_every_published_model_is_listed(shared_models):
    found = {str(file.relative_to(shared_models))[:-5] for file in shared_models.rglob("*.osim")}
    assert found == {*RUN, *REFUSED}


@pytest.mark.parametrize("name", RUN)
def test_published_models_begin_to_run(shared_models, name):
    run(acting(shared_models / f"{name}.osim"), 0.01, name)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_run_is_refused_in_one_line(shared_models, name):
    with pytest.raises((fm.ModelError, fm.ConvergenceError), match=REFUSED[name]) as refused:
        fm.simulate(acting(shared_models / f"{name}.osim"), t_end=0.5, dt=0.05)
    assert "\n" not in str(refused.value)
    assert getattr(refused.value, "result", None) is None


def test_beside_the_gimbal_lock_the_model_runs(shared_models):
    """As its refusal says; there OpenSim begins with accelerations of 3e9 rad/s^2."""
    file = shared_models / "MoBL-ARMS_noncommercial/MOBL_ARMS_41.osim"
    run(acting(file, {"r_y/value": -1.52}), 0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUN)
def test_published_models_run_for_half_a_second(shared_models, name):
    if "PathSprings" in name:
        pytest.skip("see test_a_run_that_stops_keeps_its_frames")
    run(acting(shared_models / f"{name}.osim"), 0.5, name)


@pytest.mark.slow
def test_a_run_that_stops_keeps_its_frames(shared_models):
    """Nothing holds the shoulder of this model: its scapula falls into the ribs' ellipsoid."""
    name = "opensim-core/testGeometryPathWrapping_ShoulderWrappingWithPathSprings"
    model = acting(shared_models / f"{name}.osim")
    reason = r"'TeresMajor2'.* no taut path .*elv_angle = 3.2\d+ rad \(above its range"
    with pytest.raises(fm.ConvergenceError, match=reason) as stopped:
        fm.simulate(model, t_end=0.5, dt=0.01, control=fm.AdaptiveSteps(1e-3))
    assert "\n" not in str(stopped.value).split(": ", 1)[0]
    result = stopped.value.result
    assert result.status == "failed" and result.time[-1] >= 0.13
    assert np.isfinite(result.coordinates["elv_angle"]).all()


PEERS = {
    # bodies alone; elastic tendons and a slider; coupled knees and patellae; legs on a free pelvis
    "opensim-models/double_pendulum": (1e-8, 2e-6, 1e-12, {}),
    "opensim-models/Tug_of_War_Millard": (1e-8, 1e-8, 1e-8, {"block_tz/value": 0.02}),
    "opensim-models/leg6dof9musc": (1e-6, 2e-6, 2e-9, {}),
    "opensim-models/gait10dof18musc": (1e-6, 1e-5, 1e-7, {}),
    "opensim-models/subject01": (1e-6, 1e-5, 1e-7, {}),
    # around cylinders and ellipsoids OpenSim's moment arms are not the slopes of its lengths
    "opensim-models/arm26": (1e-6, 1e-2, 0.05, {}),
    "NMSM_Forward_Dynamics/arm22_dG": (1e-7, 1e-2, 0.05, {}),
}
"""By model: accuracy of OpenSim's run, largest difference of a coordinate [rad or m] and of an
acceleration at the start, over the largest one, and changes of the model."""


def compared(folder, shared_models, names, t_end):
    """Compare runs with OpenSim's, of all models in one process."""
    tasks, ours = [], {}
    for name in names:
        accuracy, *_, changes = PEERS[name]
        file = shared_models / f"{name}.osim"
        model = acting(file, changes)
        system = fm.build(model)
        result = fm.simulate(
            system, t_end=t_end, dt=t_end / 5, method=fm.SDIRK4(), control=fm.AdaptiveSteps(1e-6)
        )
        rates = accelerations(system, 0.0, *system.initial_state())
        activations = {
            muscle: float(one["activation"][0]) for muscle, one in result.muscles.items()
        }
        start = {c: float(values[0]) for c, values in result.coordinates.items()}
        tasks.append(
            {
                "model": str(file.resolve()), "values": start, "activations": activations,
                "excitation": EXCITATION, "times": result.time.tolist(), "accuracy": accuracy,
            }
        )  # fmt: skip
        own = system.skeleton.independent
        ours[name] = result.coordinates, dict(zip(own, rates, strict=False))  # then states
    answer = Path(folder).resolve() / "answer.json"
    run_script(FORWARD, folder, {"answer": str(answer), "runs": tasks})
    for name, found in zip(names, json.loads(answer.read_text()), strict=True):
        assert "error" not in found, (name, found)
        _, tolerance, of_rates, _ = PEERS[name]
        coordinates, rates = ours[name]
        theirs = [found["accelerations"][coordinate] for coordinate in rates]
        error = np.abs(np.array(list(rates.values())) - theirs).max()
        assert error <= of_rates * np.abs(theirs).max(), name
        for coordinate, values in found["coordinates"].items():
            assert_allclose(
                coordinates[coordinate], values, atol=tolerance, rtol=0.0,
                err_msg=f"{name}: {coordinate}",
            )  # fmt: skip


def test_runs_as_in_opensim_at_first(shared_models, tmp_path):
    compared(tmp_path, shared_models, PEERS, 0.05)


@pytest.mark.slow
@pytest.mark.parametrize("name", PEERS)
def test_runs_as_in_opensim(shared_models, tmp_path, name):
    compared(tmp_path, shared_models, [name], 0.5)
