"""`python -m gpforecast`: the command line."""

import sys

from gpforecast.cli import main

sys.exit(main())
