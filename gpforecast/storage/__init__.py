"""Files: values as JSON and arrays, in one archive with a checksum; nothing in it is code."""

from gpforecast.storage.archive import read, write
from gpforecast.storage.pandas_kinds import PANDAS_KINDS
from gpforecast.storage.tree import Kind, decode, encode

__all__ = ["PANDAS_KINDS", "Kind", "decode", "encode", "read", "write"]
