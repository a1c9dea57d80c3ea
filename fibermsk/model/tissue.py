"""What a fiber is made of."""

from __future__ import annotations

from dataclasses import dataclass

from fibermsk import _check
from fibermsk.laws.stress import ActiveStress, KelvinVoigt, Stiffening

__all__ = ["Tissue"]


@dataclass(frozen=True)
class Tissue:
    """Material of a fiber, blended between muscle and tendon by its muscle fraction.

    Parameters
    ----------
    density : float
        Reference density [kg/m^3]; positive.
    muscle : KelvinVoigt
        Passive stress where the muscle fraction is one.
    tendon : KelvinVoigt, optional
        Passive stress where the muscle fraction is zero; the same as `muscle` if left out.
    active : ActiveStress, optional
        Contractile stress, scaled with muscle fraction and activation; none if left out.
    prestress : float
        Cauchy stress sigma_0 that is always there [N/m^2]; zero or positive, for a cable
        carries no compression.
    bending : float
        Bending stiffness over that of a solid round section, 3 mu pi r^4 / 4 [-]; zero or
        positive. Zero is a cable, which folds at will where it is compressed; one is a solid rod;
        fibers that consist of strands sliding on each other lie between.
    stiffening : Stiffening, optional
        Passive stress that grows exponentially with the stretch, scaled with the muscle fraction;
        none if left out.

    Raises
    ------
    ModelError
        If a field lies outside its range.
    """

    density: float
    muscle: KelvinVoigt
    tendon: KelvinVoigt | None = None
    active: ActiveStress | None = None
    prestress: float = 0.0
    bending: float = 0.0
    stiffening: Stiffening | None = None

    def __post_init__(self) -> None:
        """Check the fields and fill in the tendon."""
        owner = "tissue"
        density = _check.positive(owner, "density", self.density, "kg/m^3")
        muscle = _check.instance(owner, "muscle", self.muscle, KelvinVoigt, "a KelvinVoigt")
        tendon = muscle if self.tendon is None else self.tendon
        _check.instance(owner, "tendon", tendon, KelvinVoigt, "a KelvinVoigt or None")
        if self.active is not None:
            _check.instance(owner, "active", self.active, ActiveStress, "an ActiveStress or None")
        if self.stiffening is not None:
            what = "a Stiffening or None"
            _check.instance(owner, "stiffening", self.stiffening, Stiffening, what)
        prestress = _check.non_negative(owner, "prestress", self.prestress, "N/m^2")
        bending = _check.non_negative(owner, "bending", self.bending)
        _check.store(self, density=density, tendon=tendon, prestress=prestress, bending=bending)
