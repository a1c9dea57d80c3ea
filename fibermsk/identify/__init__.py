"""Parameters of an arm from its motion and surface EMG, with deep muscles that nobody measured.

So far the arm and its inertial parameters; see the modules.
"""
