"""The version of the package, for the rooms that cannot import its top."""

__version__ = "0.2.0.dev0"
