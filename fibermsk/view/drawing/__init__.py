"""What is drawn: surfaces of bodies, tubes of fibers, arrows of forces, and from where."""
