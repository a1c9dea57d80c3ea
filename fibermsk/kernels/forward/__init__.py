"""Forward dynamics of rigid bodies with line muscles, without returning to Python."""
