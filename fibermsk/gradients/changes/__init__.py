"""How a system changes with numbers of its model: those of one kind together."""
