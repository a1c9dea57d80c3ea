"""Whatever an argument is given, a call succeeds or raises what it documents, and nothing else.

What is made becomes part of a model that is built or refused likewise. Warnings count as errors.
"""

import inspect
import random
from dataclasses import dataclass

import nasty
import pytest
from amount import cases
from calls import CALLS, Parts

import fibermsk as fm

COMPUTED = {
    "ActivationLaw", "ContactLaw", "ConvergenceError", "CoordinateForce", "CoordinateLaw",
    "ControlSolution", "ForceLength", "ForceVelocity", "Resimulation", "RunGradient",
    "Sensitivities", "ImportReport", "InverseDynamics", "InverseKinematics", "MeshReport",
    "ModelBundles", "ModelError", "ModelWarning", "Identification", "Moment", "MovedMass",
    "MuscleBundle", "MuscleCurves", "MusclePath", "MuscleRun", "Observer", "Parameter",
    "PathBatch", "PathError", "PlacedMuscle", "Progress", "Result", "Snapshot", "SplitFiber",
    "Stability", "StudyProgress", "StudyResult", "StaticOptimum", "Still", "Stop", "StressLaw",
    "WrapArc", "WriteError", "law_constant", "mobl_arm", "ScaledModel",
}  # fmt: skip
"""What a computation gives, and protocols; nobody describes a model with them. And the reader of a
file that is not part of the package."""

OWN = {"p"}
"""Arguments that are not those of a user."""

CALLED_BACK = {"progress", "checkpoint", "report"}
"""Functions of the user that are told something: what they raise is theirs."""

PER_CALL = 50
"""Cases of each call in the default run."""


@dataclass(frozen=True)
class Outcome:
    """How a case ended, and the error that is none of those documented."""

    how: str
    raw: BaseException | None = None


def outcome(call, replaced):
    """Outcome of a call some of whose arguments are replaced by values of these names."""
    parts = Parts()
    arguments = call.arguments(parts) | {f: nasty.value(name) for f, name in replaced.items()}
    try:
        made = call.function(**arguments)
    except call.errors:
        return Outcome("refused")
    except Exception as error:
        return Outcome("raw", error)
    if call.place is None:
        return Outcome("taken")
    try:
        fm.build(call.place(parts, made))
    except fm.ModelError:
        return Outcome("refused at build")
    except Exception as error:
        return Outcome("raw at build", error)
    return Outcome("built")


def _is_asked(field, name):
    """Whether a case says anything: not what users' own functions raise, nor what a mock lacks."""
    if field in CALLED_BACK:
        return not callable(nasty.value(name))
    return not (field in ("method", "system") and name == "mock")


def drawn(name):
    """Seeded cases of a call: each argument by each value, and then two arguments at a time."""
    fields = [field for field in CALLS[name].arguments(Parts()) if field not in OWN]
    random_ = random.Random(f"constructors {name}")
    single = [{f: v} for f in fields for v in nasty.NAMES if _is_asked(f, v)]
    random_.shuffle(single)
    amount = cases(PER_CALL)
    double = []
    while len(fields) > 1 and len(single) + len(double) < amount:
        pair = {f: random_.choice(nasty.NAMES) for f in random_.sample(fields, 2)}
        if all(_is_asked(*item) for item in pair.items()):
            double.append(pair)
    return [*single, *double][:amount]


def test_every_public_name_is_called():
    public = {name for name in fm.__all__ if callable(getattr(fm, name))}
    assert public - COMPUTED <= CALLS.keys()


@pytest.mark.parametrize("name", [n for n in CALLS if "." not in n and n != "make_scene"])
def test_every_argument_is_tried(name):
    call = CALLS[name]
    if call.function is getattr(fm, name):
        tried = call.arguments(Parts()).keys()
        assert tried == inspect.signature(call.function).parameters.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_bad_argument_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some texts are names of files that can be written
    raw = []
    for replaced in drawn(name):
        found = outcome(CALLS[name], replaced)
        if found.raw is not None:
            error = found.raw
            raw.append(f"{replaced}: {found.how}: {type(error).__name__}: {str(error)[:200]}")
    assert not raw, "\n".join(raw)


VALID = [n for n in CALLS if not n.startswith(("load", "read_", "save", "export")) and n != "check"]
"""Those left out name files that are not there, or a result of nothing."""


@pytest.mark.parametrize("name", VALID)
def test_the_call_is_valid_as_it_stands(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert outcome(CALLS[name], {}).how in ("taken", "built")
