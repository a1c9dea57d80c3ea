"""Forces along paths, which wrap around surfaces as line muscles do."""
