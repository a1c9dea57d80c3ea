"""Bundles of fibers in contact, here and in other simulators."""
