"""What pytest leaves out: doctests of adapters whose library is not installed."""

from importlib.util import find_spec

LIBRARIES = {"sklearn": "sklearn", "sktime": "sktime", "statsforecast": "statsforecast"}

collect_ignore = ["docs", "benchmarks", "examples"] + [
    f"gpforecast/adapters/{module}.py"
    for module, library in LIBRARIES.items()
    if find_spec(library) is None
]
