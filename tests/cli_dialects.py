"""Files as people have them: bytes, the options that read them, and what is in them.

Each dialect writes the same twelve values by days, months or whatever it is about.
"""

import gzip
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

VALUES = [1234.5, 987.25, 1100.0, 15.5, 12.0, 2345.75, 800.0, 999.5, 1001.0, 56.0, 7.25, 3000.0]
DAYS = pd.date_range("2019-01-20", periods=12)
MONTHS = pd.date_range("2019-01-01", periods=12, freq="MS")
WHOLE = [12.0, 7, 19, 4, 5, 6, 21, 3, 9, 15, 11, 2]


@dataclass(frozen=True)
class Dialect:
    """A file, and how it must be read.

    `needs` are the options without which it is refused; the error must name the first of them.
    `said` is a part of the line of what was detected.
    """

    data: bytes
    index: object = field(default_factory=lambda: DAYS)
    values: list = field(default_factory=lambda: VALUES)
    needs: dict = field(default_factory=dict)
    named: str = ""
    given: dict = field(default_factory=dict)  # options that any file with such columns needs
    said: str = ""


def lines(*rows, end="\n"):
    return end.join(rows) + end


def european(x):
    return f"{x:,.2f}".translate(str.maketrans(",.", ".,"))


def written(times, values, sep=",", header=("when", "units"), end="\n"):
    rows = [f"{t}{sep}{v}" for t, v in zip(times, values, strict=True)]
    return lines(sep.join(header), *rows, end=end).encode()


def dates(form, index=DAYS):
    return list(index.strftime(form))


iso = dates("%Y-%m-%d")
points = [f"{v:.2f}" for v in VALUES]
commas = [text.replace(".", ",") for text in points]
thousands = [f'"{v:,.2f}"' for v in VALUES]
europe = [european(v) for v in VALUES]
plain = written(iso, points)
rows = [f"{t},{v}" for t, v in zip(iso, points, strict=True)]
quarters = pd.date_range("2017-01-01", periods=12, freq="QS")
weeks = pd.date_range("2018-12-03", periods=12, freq="7D")
utc = pd.date_range("2019-03-30 22:00", periods=12, freq="h", tz="UTC")
paris = utc.tz_convert("Europe/Paris")
offsets = [f"{t:%Y-%m-%dT%H:%M}{t:%z}" for t in paris]
naive = pd.date_range("2019-05-01", periods=12, freq="h")
counted = pd.RangeIndex(12)
serial = [str((day - pd.Timestamp("1899-12-30")).days) for day in DAYS]
unix = [str(int(t.timestamp())) for t in utc]
twice = [DAYS[0], *DAYS]
shuffled = np.random.default_rng(0).permutation(12)
german = ["Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.",
          "Dez."]  # fmt: skip

DIALECTS = {
    # delimiters, decimal marks and thousands
    "commas and points": Dialect(plain),
    "semicolons, decimal commas, points between thousands": Dialect(
        written(dates("%d.%m.%Y"), europe, ";", ("Datum", "Umsatz"))
    ),
    "semicolons and plain decimal commas": Dialect(written(iso, commas, ";")),
    "commas between fields, quoted numbers with thousands": Dialect(written(iso, thousands)),
    "commas between fields, quoted decimal commas": Dialect(
        written(iso, [f'"{v}"' for v in commas])
    ),
    "tabs": Dialect(written(iso, points, "\t")),
    "pipes": Dialect(written(iso, points, "|")),
    "spaces between thousands": Dialect(
        written(iso, [f"{v:,.2f}".replace(",", "\u202f").replace(".", ",") for v in VALUES], ";")
    ),
    "apostrophes between thousands": Dialect(
        written(iso, [f"{v:,.2f}".replace(",", "’") for v in VALUES], ";")
    ),
    "three digits after a mark that may be either": Dialect(
        written(iso, [f"{v + 0.125:.3f}" for v in WHOLE], ";"),
        values=[v + 0.125 for v in WHOLE],
        needs={"decimal": "."},
    ),
    "another delimiter": Dialect(
        written(iso, points, "~"), needs={"sep": "~"}
    ),
    "spaces": Dialect(
        written(iso, points, "  "), needs={"sep": "space"}
    ),
    "exponents": Dialect(written(iso, [f"{v:.6e}" for v in VALUES])),
    # layout
    "quoted line breaks": Dialect(
        lines(
            "when,note,units",
            *(row.replace(",", ',"a note, of\ntwo lines",') for row in rows),
        ).encode()
    ),
    "delimiters at the ends of lines": Dialect(
        lines("when,units", *(f"{row},,," for row in rows)).encode()
    ),
    "delimiters at the ends of all lines": Dialect(
        lines("when,units,", *(f"{row}," for row in rows)).encode()
    ),
    "an empty column with a name": Dialect(
        lines("when,note,units", *(row.replace(",", ",,") for row in rows)).encode(),
        given={"value": "units"},
    ),
    "comments": Dialect(lines("# made by hand", "# 2019", "when,units", *rows, "# end").encode()),
    "names in a comment": Dialect(lines("# when,units", *rows).encode()),
    "lines before the header": Dialect(
        lines("Sales report", "Exported on 2019-03-01", "", "when,units", *rows).encode()
    ),
    "lines before data without a header": Dialect(
        lines("Sales report", "All shops", *rows).encode(),
        needs={"skip_rows": 2, "header": False},
    ),
    "an index without a name": Dialect(
        lines(",when,units", *(f"{i},{row}" for i, row in enumerate(rows))).encode()
    ),
    "dates in a column without a name": Dialect(written(iso, points, header=("", "units"))),
    "blank lines": Dialect(lines("when,units", *(f"{row}\n" for row in rows)).encode()),
    "a header that is data": Dialect(lines(*rows).encode(), needs={"header": False}),
    "one column of decimal commas": Dialect(
        lines("units", *commas).encode(), counted, needs={"sep": ";"}
    ),
    "one column without dates": Dialect(lines("units", *points).encode(), counted),
    "one column without dates and header": Dialect(
        lines(*points).encode(), counted, needs={"header": False}
    ),
    "a total row": Dialect(plain + b"Total,11569.75\n", needs={"skip_footer": 1}),
    "a source below the table": Dialect(
        plain + b"\nSource: the office of statistics\n", needs={"skip_footer": 1}
    ),
    "several columns of values": Dialect(
        lines("when,other,units", *(row.replace(",", ",5,") for row in rows)).encode(),
        needs={"value": "units"},
    ),
    "two columns of one name": Dialect(
        lines("when,units,units", *(row.replace(",", ",5,") for row in rows)).encode(),
        needs={"value": "3"},
        given={},
    ),
    # signs
    "per cent": Dialect(written(iso, [f"{v} %" for v in commas], ";")),
    "a currency before": Dialect(
        written(iso, [f'"${v:,.2f}"' for v in VALUES]),
    ),
    "a currency after": Dialect(written(iso, [f"{v} €" for v in europe], ";")),
    "negative in parentheses": Dialect(
        written(iso, [f'"(${v:,.2f})"' if i % 3 else f"${v:.2f}" for i, v in enumerate(WHOLE)]),
        values=[-v if i % 3 else v for i, v in enumerate(WHOLE)],
    ),
    "minus signs behind or of typesetters": Dialect(
        written(iso, [f"{v:g}-" if i % 2 else f"\u2212{v:g}" for i, v in enumerate(WHOLE)]),
        values=[-v for v in WHOLE],
    ),
    "accounting dashes": Dialect(
        written(iso, [*(f"{v:g}" for v in WHOLE[:-1]), " -   "]),
        values=[*WHOLE[:-1], 0.0],
        needs={"zero": ("-",)},
    ),
    "dashes for what is missing": Dialect(
        written(iso, ["—", *(f"{v:g}" for v in WHOLE[1:])]),
        values=[np.nan, *WHOLE[1:]],
        needs={"missing": ("-",)},
    ),
    "spellings of missing values": Dialect(
        written(iso, ["5", "", "NA", "n/a", "#N/A", "NaN", "null", "None", ".", "..", "6", "7"]),
        values=[5, *[np.nan] * 9, 6, 7],
    ),
    "a word for a missing value": Dialect(
        written(iso, [*(f"{v:g}" for v in WHOLE[:-1]), "closed"]),
        values=[*WHOLE[:-1], np.nan],
        needs={"missing": ("closed",)},
    ),
    # encodings and ends of lines
    "UTF-8 with a mark": Dialect(b"\xef\xbb\xbf" + plain),
    "UTF-16": Dialect(plain.decode().encode("utf-16")),
    "UTF-16, tabs, as Excel saves Unicode text": Dialect(
        b"\xfe\xff" + written(iso, commas, "\t", end="\r\n").decode().encode("utf-16-be")
    ),
    "UTF-16 without a mark": Dialect(
        plain.decode().encode("utf-16-le"), needs={"encoding": "utf-16-le"}
    ),
    "Latin-1": Dialect(
        written(iso, points, header=("när", "försäljning")).decode().encode("latin-1"),
        given={"value": "försäljning", "time": "när"},
    ),
    "bytes that Windows has no letters for": Dialect(
        written(iso, points, header=("když", "tržby")).decode().encode("cp852")
        + "# \x8d\n".encode("latin-1"),
        needs={"encoding": "cp852"},
    ),
    "ends of lines of Windows": Dialect(written(iso, points, end="\r\n")),
    "ends of lines of old Macs": Dialect(written(iso, points, end="\r")),
    "gzip": Dialect(gzip.compress(plain)),
    # dates
    "day first with days beyond 12": Dialect(written(dates("%d/%m/%Y"), points)),
    "month first with days beyond 12": Dialect(written(dates("%m/%d/%Y"), points)),
    "03/04/2019, day first": Dialect(
        written(dates("%d/%m/%Y", MONTHS), points), MONTHS, needs={"dayfirst": True}
    ),
    "03/04/2019, month first": Dialect(
        written(dates("%d/%m/%Y", MONTHS), points),
        pd.date_range("2019-01-01", periods=12),
        needs={"dayfirst": False},
        named="--no-dayfirst",
    ),
    "years of two digits": Dialect(
        written(dates("%d/%m/%y"), points), needs={"dayfirst": True}
    ),
    "years of two digits in front": Dialect(
        written(dates("%y/%m/%d"), points), needs={"date_format": "%y/%m/%d"}
    ),
    "20190131": Dialect(written(dates("%Y%m%d"), points)),
    "201901": Dialect(written(dates("%Y%m", MONTHS), points), MONTHS),
    "2019M01": Dialect(written(dates("%YM%m", MONTHS), points), MONTHS),
    "2019Q1": Dialect(written(quarters.to_period("Q").astype(str), points), quarters),
    "Q1 2019": Dialect(written([f"Q{t.quarter} {t.year}" for t in quarters], points), quarters),
    "weeks": Dialect(written([f"{t:%G}-W{t:%V}" for t in weeks], points), weeks),
    "Jan-19": Dialect(written(dates("%b-%y", MONTHS), points), MONTHS),
    "Jan 2019": Dialect(written(dates("%B %Y", MONTHS), points), MONTHS),
    "31-Jan-19": Dialect(written(dates("%d-%b-%y"), points)),
    "January 31, 2019": Dialect(
        written([f'"{t}"' for t in dates("%B %d, %Y")], points),
    ),
    "months in German": Dialect(written([f"{m} 2019" for m in german], europe, ";"), MONTHS),
    "Jan-19 of a year or a day": Dialect(
        written([f"Dec-{y}" for y in range(10, 22)], points),
        pd.date_range("2010-12-01", periods=12, freq="YS-DEC"),
        needs={"date_format": "%b-%y"},
    ),
    "years": Dialect(written(range(1999, 2011), points), pd.RangeIndex(1999, 2011)),
    "seasons of two years": Dialect(
        written([f"200{y}-0{y + 1}" for y in range(9)], points[:9]),
        pd.date_range("2000-01-01", periods=9, freq="13MS"),
        VALUES[:9],
        needs={"date_format": "%Y-%m"},
    ),
    "days of Excel": Dialect(
        written(serial, points, header=("date", "units")), needs={"date_format": "excel"},
        given={"value": "units"},
    ),
    "days of Excel, as numbers": Dialect(
        written(serial, points, header=("date", "units")),
        pd.Index([int(day) for day in serial]),
        needs={"date_format": "number"},
        given={"value": "units"},
    ),
    "seconds since 1970": Dialect(
        written(unix, points, header=("timestamp", "units")), utc.tz_localize(None),
        needs={"date_format": "unix"}, given={"value": "units"},
    ),
    "clocks of twelve hours": Dialect(
        written(naive.strftime("%m/%d/%Y %I:%M %p"), points), naive, needs={"dayfirst": False}
    ),
    "one offset": Dialect(
        written([f"{t:%Y-%m-%dT%H:%M}+02:00" for t in naive], points),
        naive.tz_localize("+02:00"),
    ),
    "two offsets": Dialect(written(offsets, points), utc),
    "two offsets in a zone": Dialect(
        written(offsets, points), paris, given={"timezone": "Europe/Paris"}
    ),
    "some times with an offset": Dialect(
        written([*(f"{t:%Y-%m-%d %H:%M}+01:00" for t in naive[:-1]), naive[-1]], points),
        named="offset",
        index=None,
    ),
    # order
    "newest first": Dialect(written(iso[::-1], points[::-1])),
    "not sorted": Dialect(
        written([iso[i] for i in shuffled], [points[i] for i in shuffled]), needs={"sort": True}
    ),
    "duplicated times": Dialect(
        written([iso[0], *iso], ["0", *points]), needs={"duplicates": "last"}
    ),
    "duplicated times, to be added": Dialect(
        written([iso[0], *iso], ["0", *points]), needs={"duplicates": "sum"}
    ),
    "a step that changes": Dialect(
        written([*iso[:6], *dates("%Y-%m-%d", MONTHS + pd.DateOffset(months=2))[:6]], points),
        counted,
        needs={"count": True},
    ),
}  # fmt: skip
