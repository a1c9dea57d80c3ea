"""Parameters of an arm from its motion and surface EMG, with deep muscles that nobody measured."""

from fibermsk.identification.arm import mobl_arm as mobl_arm
from fibermsk.identification.found import Identification as Identification, identify as identify
from fibermsk.identification.problem import IdentificationProblem as IdentificationProblem
from fibermsk.identification.study import (
    IdentificationStudy as IdentificationStudy,
    Recording as Recording,
    StudyResult as StudyResult,
)
