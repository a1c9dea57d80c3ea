"""Shapes of bones: distance, gradient and Hessian."""
