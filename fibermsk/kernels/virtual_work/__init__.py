"""Virtual work of contact, and its derivatives in the numbers that contact depends on."""
