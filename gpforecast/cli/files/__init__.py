"""From a file to a series: bytes, text, table, numbers and dates.

Each step is a function of what the step before returned. Whatever the user did not say is detected
where only one reading fits, and refused with the option that says it where several do.
"""

from gpforecast.cli.files.options import FileOptions
from gpforecast.cli.files.reading import Reading, read_series

__all__ = ["FileOptions", "Reading", "read_series"]
