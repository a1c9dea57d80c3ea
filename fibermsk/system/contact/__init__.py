"""Contact between fibers, and of fibers with bones: search, laws and forces."""
