"""Files: results and checkpoints in HDF5, and exports for other programs."""

from fibermsk.files import check_writable as check_writable
from fibermsk.io.checkpoint import (
    is_checkpoint as is_checkpoint,
    load_checkpoint as load_checkpoint,
    save_checkpoint as save_checkpoint,
)
from fibermsk.io.exporting import check_export as check_export, export as export
from fibermsk.io.hdf5 import describe as describe, load as load, save as save
from fibermsk.io.result_file import ResultFile as ResultFile
