"""Parameters of a model by path, and models with other values."""

from fibermsk.parameters.activate import with_activations
from fibermsk.parameters.mapping import Parameter, Parameters
from fibermsk.parameters.revise import Revision, revise, with_parameters

__all__ = [
    "Parameter",
    "Parameters",
    "Revision",
    "revise",
    "with_activations",
    "with_parameters",
]
