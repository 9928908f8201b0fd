"""A series to report on, and how to read a page."""

from html.parser import HTMLParser

import numpy as np
import pandas as pd
from matplotlib.figure import Figure


def series(n=150, name="sales"):
    t = np.arange(n)
    values = 10 + np.sin(t / 4) + 0.1 * np.random.default_rng(0).standard_normal(n)
    return pd.Series(values, index=pd.date_range("2024-01-01", periods=n), name=name)


def few_pixels(patch):
    """Draw pictures with few pixels, where no test looks at them."""
    whole = Figure.savefig

    def savefig(self, file, **options):
        self.set_layout_engine("none")
        whole(self, file, **options | {"dpi": 20})

    patch.setattr(Figure, "savefig", savefig)


class Balance(HTMLParser):
    """Counts what is opened and not closed, and collects every address."""

    VOID = ("meta", "img", "br", "link", "source")

    def __init__(self):
        super().__init__()
        self.open, self.addresses, self.text = [], [], []

    def handle_starttag(self, tag, attrs):
        self.addresses += [v for k, v in attrs if k in ("src", "href", "srcset", "action")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(html):
    parser = Balance()
    parser.feed(html)
    assert parser.open == []
    return parser
