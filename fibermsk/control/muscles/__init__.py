"""Line muscles in optimal control: paths, laws, activation."""
