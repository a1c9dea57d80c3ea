"""Forward dynamics of rigid bodies and line muscles, as one compiled loop."""

from fibermsk.system.forward.equations import ForwardMarch as ForwardMarch
