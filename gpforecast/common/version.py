"""The version of the package, for the rooms that cannot import its top."""

__version__ = "1.0.0"
