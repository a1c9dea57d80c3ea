"""Commands of `fibermsk`, one file each."""
