"""Plain twins of the compiled functions: slow, direct, and written differently on purpose."""
