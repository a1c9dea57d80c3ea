"""Parameters of a model by path, and models with other values."""

from fibermsk.parameters.activate import with_activations as with_activations
from fibermsk.parameters.mapping import Parameter as Parameter, Parameters as Parameters
from fibermsk.parameters.revise import (
    Revision as Revision,
    revise as revise,
    with_parameters as with_parameters,
)
