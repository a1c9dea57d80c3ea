"""Interface of laws of activation."""

from __future__ import annotations

from typing import Any, Protocol


class ActivationLaw(Protocol):
    """Rate of the activation of a muscle.

    A frozen dataclass whose fields are numbers, best given by `law_constant`. At constant
    excitation the activation should tend to the excitation.
    """

    def rate(self, excitation: Any, activation: Any) -> Any:
        """Rate of the activation [1/s] at an excitation and an activation, both in [0, 1].

        Or a tuple of the rate and its derivatives in the excitation and in the activation [1/s]. A
        rate alone must accept complex numbers: its derivatives are complex steps.
        """
        ...
