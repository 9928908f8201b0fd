"""`python -m gpforecast.cli`."""

import sys

from gpforecast.cli.commands import main

sys.exit(main())
