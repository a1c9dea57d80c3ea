"""Prototype: the fibers of one bundle, cut into blocks of one process each, solved together."""
