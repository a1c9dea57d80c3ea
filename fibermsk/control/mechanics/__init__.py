"""Trees of rigid bodies in director coordinates, and their discrete mechanics."""
