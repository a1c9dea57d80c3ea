"""Contents of pictures: surfaces of bodies, tubes of fibers, arrows of forces, camera."""
