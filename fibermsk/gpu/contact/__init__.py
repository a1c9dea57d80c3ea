"""Contact of fibers with each other and with bones, on a device."""
