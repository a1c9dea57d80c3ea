"""The parts of the physics: what makes force, takes up energy or has mass."""

from fibermsk.system.contributions.bending import Bending
from fibermsk.system.contributions.bodies import Bodies
from fibermsk.system.contributions.contacts import BoneContact, FiberContact
from fibermsk.system.contributions.contribution import (
    At,
    Contribution,
    FollowsEnds,
    HasEnergy,
    HasFingerprint,
    HasFlaws,
    HasSuspects,
    Slopes,
    Sums,
)
from fibermsk.system.contributions.fibers import Fibers
from fibermsk.system.contributions.joints import PassiveJoints

__all__ = [
    "At",
    "Bending",
    "Bodies",
    "BoneContact",
    "Contribution",
    "FiberContact",
    "Fibers",
    "FollowsEnds",
    "HasEnergy",
    "HasFingerprint",
    "HasFlaws",
    "HasSuspects",
    "PassiveJoints",
    "Slopes",
    "Sums",
]
