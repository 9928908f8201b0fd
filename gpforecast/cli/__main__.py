"""`python -m gpforecast.cli`."""

import sys

from gpforecast.cli.entry import main

sys.exit(main())
