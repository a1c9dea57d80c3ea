"""Whole files or none: :mod:`fibermsk.files`, which pictures are written with too."""

from fibermsk.files import check_writable, replacing

__all__ = ["check_writable", "replacing"]
