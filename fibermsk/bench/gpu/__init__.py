"""Measurements of the GPU backend, and a model of their times."""

from fibermsk.bench.gpu.measure import measure as measure
