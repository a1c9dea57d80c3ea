"""Fibers and line muscles, their tissue and activation."""
