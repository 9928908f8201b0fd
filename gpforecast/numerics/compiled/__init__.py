"""Functions compiled by numba on first use and cached; nothing is compiled on import."""
