"""Bodies, joints and coordinates, and the meshes of bones."""
