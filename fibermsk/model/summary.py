"""Text of a model for a prompt and for a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from fibermsk._shown import Summarized, Summary, array, counts, names

if TYPE_CHECKING:
    from fibermsk.model.model import Model

_KINDS = "bodies joints coordinates couplings fibers muscles elements markers".split()


class SummaryOfModel(Summarized):
    """Names of the items of a `Model`."""

    def _summary(self) -> Summary:
        model = cast("Model", self)
        found = counts(
            (len(model.bodies), "body", "bodies"),
            (len(model.joints), "joint", "joints"),
            (len(model.fibers), "fiber", "fibers"),
            (len(model.muscles), "line muscle", "line muscles"),
            (len(model.contacts), "contact", "contacts"),
            (len(model.elements), "element", "elements"),
        )
        items = {kind: getattr(model, kind) for kind in _KINDS}
        rows = [(kind, names(one.name for one in some)) for kind, some in items.items() if some]
        rows.append(("gravity", f"{array(model.gravity)} m/s^2"))
        return Summary(f"Model {model.name!r}: {found}", rows)
