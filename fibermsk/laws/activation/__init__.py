"""Activation dynamics of muscle: the rate of the activation that follows an excitation.

Symbols: ``e`` excitation and ``a`` activation, both in [0, 1].
"""

from fibermsk.laws.activation.law import ActivationLaw as ActivationLaw
from fibermsk.laws.activation.piecewise import PiecewiseActivation as PiecewiseActivation
from fibermsk.laws.activation.smooth import SmoothActivation as SmoothActivation
