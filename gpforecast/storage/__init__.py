"""Files: values as JSON and arrays, in one archive with a checksum; nothing in it is code.

Objects of registered classes alone can be saved and are made from a file
(`gpforecast.storage.registry` says how a class becomes one). No class of a model is known here.
"""

from gpforecast.storage import kinds
from gpforecast.storage.archive import Saveable, put, restore, save
from gpforecast.storage.registry import register, registered_late, storable
from gpforecast.storage.tree import decode, encode

__all__ = [
    "Saveable",
    "decode",
    "encode",
    "kinds",
    "put",
    "register",
    "registered_late",
    "restore",
    "save",
    "storable",
]
