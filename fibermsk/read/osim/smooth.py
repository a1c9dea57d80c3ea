"""Line muscles with smooth laws, for searches with second derivatives."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from fibermsk import _check
from fibermsk.laws.activation import SmoothActivation
from fibermsk.laws.hill import DeGrooteCurves, HillLaw
from fibermsk.model import ActivationDynamics, Model
from fibermsk.parameters.revise import redirected

_TIMES = "activation_time", "deactivation_time"

SHARPNESS = 0.1
"""Published sharpness of the change from rise to fall of an activation."""


def with_smooth_muscles(
    model: Model, *, tendon: Literal["rigid", "elastic"] = "rigid", damping: float = 0.01
) -> Model:
    """Create a model whose line muscles have the curves and the activation dynamics of De Groote.

    As optimal control needs them: without pieces, and with one sharpness of 0.1 of the change from
    rise to fall. Strengths, lengths, pennation, fastest contraction and time constants are those of
    the muscles. Curves differ from those of Thelen and Millard by up to a tenth of the largest
    force.

    Parameters
    ----------
    model : Model
        Model to start from, as from `read_osim`; not changed.
    tendon : {"rigid", "elastic"}
        Tendons of all muscles.
    damping : float
        Damping of the fibers [-], zero or positive; of elastic tendons positive.

    Returns
    -------
    model : Model
        New model. Muscles that the file disables stay descriptions; what is not a line muscle is
        shared.

    Raises
    ------
    ModelError
        If the model has no line muscle, or an argument is refused.

    Examples
    --------
    >>> import fibermsk as fm
    >>> arm = fm.with_smooth_muscles(fm.make_scene("arm2").model)
    >>> type(arm.muscles[0].law.curves).__name__
    'DeGrooteCurves'
    """
    owner = "with_smooth_muscles"
    _check.instance(owner, "model", model, Model, "a Model")
    law = HillLaw(DeGrooteCurves(), tendon=tendon, damping=damping)
    new = dict[int, Any]()
    for muscle in model.muscles:
        idle = muscle.law is None and muscle.parameters.get("appliesForce") is False
        if idle or muscle.name in model.muscles_with_fibers:
            continue
        given = muscle.activation
        if isinstance(given, ActivationDynamics):
            times = [getattr(given.law, name, None) for name in _TIMES]
        else:
            times = [muscle.parameters.get(f"{name}_constant") for name in _TIMES]
            given = ActivationDynamics(0.0, name=muscle.name)
        pairs = zip(_TIMES, times, strict=True)
        own = {name: one for name, one in pairs if one is not None}
        smooth = SmoothActivation(**own, sharpness=SHARPNESS)
        new[id(muscle)] = replace(muscle, law=law, activation=replace(given, law=smooth))
    if not new:
        must = "be one or more that exert a force"
        _check.refuse(f"model {model.name!r}", "muscles", len(model.muscles), must)
    return redirected(model, new)
