"""Bundles of deforming fibers from line muscles."""

from fibermsk.anatomy.bundle import (
    MuscleBundle as MuscleBundle,
    fibers_from_muscle as fibers_from_muscle,
)
from fibermsk.anatomy.joined import (
    SplitFiber as SplitFiber,
    junction_forces as junction_forces,
    split_fiber as split_fiber,
)
from fibermsk.anatomy.models.bundles import (
    ModelBundles as ModelBundles,
    bundles_from_model as bundles_from_model,
    select as select,
)
from fibermsk.anatomy.models.muscle_mass import (
    MovedMass as MovedMass,
    with_muscle_mass as with_muscle_mass,
)
from fibermsk.anatomy.models.placed import PlacedMuscle as PlacedMuscle
from fibermsk.anatomy.packing import pack_section as pack_section
from fibermsk.anatomy.report import BundleReport as BundleReport
from fibermsk.anatomy.whole_muscle import (
    MuscleRun as MuscleRun,
    WholeMuscle as WholeMuscle,
    cat_soleus as cat_soleus,
)
from fibermsk.anatomy.wraps import shapes_from_wraps as shapes_from_wraps
