"""Contact forces of fibers with each other and with bones, and their derivatives."""
