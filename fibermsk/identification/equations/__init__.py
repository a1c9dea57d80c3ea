"""What recorded movements say of the numbers of a model: equations, and their residuals."""
