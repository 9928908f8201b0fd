"""Files of offices, banks and shops: marks that may be either, flags, brackets, wide tables."""

import pandas as pd
from cli_dialects import (
    MONTHS,
    VALUES,
    Dialect,
    commas,
    counted,
    dates,
    europe,
    iso,
    lines,
    naive,
    points,
    quarters,
    written,
)

dotted = dates("%d.%m.%Y")
us = dates("%m/%d/%Y")
nan = float("nan")
fuel = [1.439 + i / 1000 for i in range(12)]
fuel = [round(v, 3) for v in fuel]
in_commas = [f'"{v:.3f}"'.replace(".", ",") for v in fuel]
big = [1200.0, 987, 3456, 812, 1045, 990, 2301, 1877, 650, 1420, 1111, 2050]
all_big = [1000 + v for v in big]
signed = [-v if i % 3 else v for i, v in enumerate(VALUES)]
bank = [f'"{v:,.2f} {"DR" if i % 3 else "CR"}"' for i, v in enumerate(VALUES)]
flags = {2: " p", 5: " e", 6: "p", 7: "*", 11: "(p)"}
names = {
    "English": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "German": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "French": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "Spanish": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
               "diciembre",
    "numbers": "1 2 3 4 5 6 7 8 9 10 11 12",
}  # fmt: skip
few_weeks = pd.date_range("2018-12-31", periods=9, freq="7D")
two_years = pd.date_range("2018-01-01", periods=24, freq="MS")
two_years_of = [float(i % 12 + 10 * (i // 12)) for i in range(24)]


def wide(header, n, years=(2018, 2019), of=two_years_of, label="Year", end=""):
    rows = [
        ",".join([str(y), *(f"{v:g}" for v in of[n * i : n * (i + 1)])]) + end
        for i, y in enumerate(years)
    ]
    return lines(f"{label},{','.join(header)}", *rows).encode()


OFFICES = {
    # a mark that may be decimal or between thousands, and commas between fields
    "quoted decimal commas with three places, German dates": Dialect(
        written(dotted, in_commas), values=fuel, said="decimal commas"
    ),
    "quoted commas with three places, nothing that decides": Dialect(
        written(iso, in_commas), values=fuel, needs={"decimal": ","}
    ),
    "quoted thousands, whole numbers beside them": Dialect(
        written(iso, [f'"{v:,.0f}"' for v in big]), values=big
    ),
    "quoted commas, whole numbers beside them, German dates": Dialect(
        written(dotted, [f'"{v:,.0f}"' for v in big]), values=big, needs={"decimal": "."}
    ),
    "quoted thousands, American dates": Dialect(
        written(us, [f'"{v:,.0f}"' for v in all_big]), values=all_big
    ),
    "quoted thousands of dollars": Dialect(
        written(iso, [f'"${v:,.0f}"' for v in all_big]), values=all_big
    ),
    "quoted commas with other places": Dialect(
        written(iso, [*in_commas[:-1], '"1,4"']), values=[*fuel[:-1], 1.4]
    ),
    "points between thousands, whole numbers beside them": Dialect(
        written(dotted, [f"{v:,.0f}".replace(",", ".") for v in big]), values=big,
        needs={"decimal": ","},
    ),
    "points between thousands, German dates": Dialect(
        written(dotted, [f"{v:,.0f}".replace(",", ".") for v in all_big]), values=all_big,
        needs={"decimal": ","},
    ),
    "points between thousands of a million": Dialect(
        written(dotted, ["1.200.000", *(f"{v:,.0f}".replace(",", ".") for v in big[1:])]),
        values=[1.2e6, *big[1:]],
    ),
    "points with three places, whole numbers beside them, American dates": Dialect(
        written(us, [*(f"{v:.3f}" for v in fuel[:-1]), "5"]), values=[*fuel[:-1], 5]
    ),
    "decimal points with three places": Dialect(
        written(iso, [f"{v:.3f}" for v in fuel]), values=fuel
    ),
    "decimal points with three places and fewer": Dialect(
        written(iso, [*(f"{v:.3f}" for v in fuel[:-2]), "987.1", "5"]),
        values=[*fuel[:-2], 987.1, 5],
    ),
    "decimal points with three places, whole numbers and one below 1": Dialect(
        written(iso, [*(f"{v:.3f}" for v in fuel[:-2]), "0.123", "5"]),
        values=[*fuel[:-2], 0.123, 5],
    ),
    # negative numbers
    "accounting in dollars": Dialect(
        written(us, [f'" $ ({-v:,.2f})"' if v < 0 else f'" $ {v:,.2f} "' for v in signed]),
        values=signed,
    ),
    "accounting in euros": Dialect(
        written(dotted, [f"({v}) €" if i % 3 else f"{v} €" for i, v in enumerate(europe)], ";"),
        values=signed, said="currency €, (5) is -5",
    ),
    "per cent behind brackets": Dialect(
        written(iso, [f"({v})%" if i % 3 else f"{v}%" for i, v in enumerate(points)]),
        values=signed,
    ),
    "a dash for nothing, in dollars": Dialect(
        written(iso, ['" $ -   "', *(f"$ {v}" for v in points[1:])]), values=[0.0, *VALUES[1:]],
        needs={"zero": ("-",)},
    ),
    "dashes of typesetters as minus signs": Dialect(
        written(iso, [f"–{v}" if i % 3 else v for i, v in enumerate(points)]), values=signed
    ),
    "DR and CR": Dialect(written(iso, bank), values=signed, said="DR is negative"),
    "overdrawn all the time": Dialect(
        written(iso, [f"{v} Dr" for v in points]), values=[-v for v in VALUES],
        said="DR is negative",
    ),
    "DR in some rows only": Dialect(
        written(iso, ["5 DR", *points[1:]]), index=None, named="must have DR or CR behind it"
    ),
    # flags
    "flags beside numbers": Dialect(
        written(iso, [f"{v}{flags.get(i, '')}" for i, v in enumerate(points)]),
        said="flags left out: (p) (1), * (1), e (1), p (2)",
    ),
    "flags beside numbers with thousands": Dialect(
        written(iso, [f'"{v:,.2f}{" r" * (i > 9)}"' for i, v in enumerate(VALUES)]),
        said="flags left out: r (2)",
    ),
    "flags behind currencies": Dialect(
        written(iso, [f"{v} EUR{' p' * (i > 9)}" for i, v in enumerate(points)]),
        said="currency EUR, flags left out: p (2)",
    ),
    "crores": Dialect(written(iso, [f"{v} Cr" for v in points]), said="unit Cr"),
    "pence in all rows": Dialect(written(iso, [f"{v} p" for v in points]), said="unit p"),
    "flags that are not known": Dialect(
        written(iso, [f"{v}{' s' * (i > 9)}" for i, v in enumerate(points)]),
        needs={"ignore": ("s",)},
    ),
    "footnotes": Dialect(
        written(iso, [f"{v}{' (1)' * (i == 3)}" for i, v in enumerate(points)]),
        needs={"ignore": ("(1)",)},
    ),
    "a currency that is not known": Dialect(
        written(iso, [f"Rp {v}" for v in points]), needs={"ignore": ("Rp",)}
    ),
    "dashes for a missing value": Dialect(
        written(iso, ["---", *points[1:]]), values=[nan, *VALUES[1:]],
        needs={"missing": ("---",)}, named="pass --missing=--- if",
    ),
    "hours and minutes": Dialect(
        written(iso, [f"{v} {'h' if i % 2 else 'min'}" for i, v in enumerate(points)]), index=None,
        named="bring all values to one unit first",
    ),
    # a column for each month or quarter
    **{
        f"a column for each month, {language}": Dialect(
            wide(months.split(), 12), two_years, two_years_of, said="of each row are its months"
        )
        for language, months in names.items()
    },
    "a column for each month, a total and an average": Dialect(
        wide([*names["English"].split(), "Total", "Avg"], 12, end=",9,9"), two_years, two_years_of,
        said="left out: 'Total', 'Avg'",
    ),
    "a column for each month, newest first": Dialect(
        wide(names["English"].split(), 12, (2019, 2018), two_years_of[12:] + two_years_of[:12]),
        two_years, two_years_of,
    ),
    "a column for each quarter": Dialect(
        wide(["Q1", "Q2", "Q3", "Q4"], 4, (2017, 2018, 2019), VALUES), quarters,
    ),
    "a column for each quarter, French": Dialect(
        wide(["T1", "T2", "T3", "T4"], 4, (2017, 2018, 2019), VALUES, "Année"), quarters,
    ),
    "a column for each month, of which one is named": Dialect(
        wide(names["English"].split(), 12, range(2015, 2019), two_years_of * 2),
        [2015, 2016, 2017, 2018], [0.0, 10, 0, 10], given={"value": "Jan"},
    ),
    "a column for each month, of several shops": Dialect(
        lines("Shop,Year," + ",".join(names["English"].split()),
              *(f"{s},{y}," + ",".join("123456789012") for s in "AB" for y in (2018, 2019))
              ).encode(),
        index=None, named="Keep the rows of one series",
    ),
    "a column for each month, from April on": Dialect(
        wide([*names["English"].split()[3:], "Jan", "Feb", "Mar"], 12), index=None,
        named="each month in a row of its own",
    ),
    "a column for each hour": Dialect(
        lines("Date," + ",".join(map(str, range(1, 25))),
              *(f"{t}," + ",".join("123456" * 4) for t in iso)).encode(),
        index=None, named="'24'; 24 hold numbers",
    ),
    "a column for each month, and a row of totals": Dialect(
        wide(names["English"].split(), 12, (2018, 2019, "Total"), two_years_of * 2),
        two_years, two_years_of, needs={"skip_footer": 1},
    ),
    # quarters
    "T1 2019": Dialect(written([f"T{t.quarter} {t.year}" for t in quarters], points), quarters),
    "2019-T1": Dialect(written([f"{t.year}-T{t.quarter}" for t in quarters], points), quarters),
    "1. Quartal 2019": Dialect(
        written([f"{t.quarter}. Quartal {t.year}" for t in quarters], commas, ";"), quarters
    ),
    "1er trimestre 2019": Dialect(
        written([f"{t.quarter}{'er' if t.quarter == 1 else 'e'} trimestre {t.year}"
                 for t in quarters], points),
        quarters,
    ),
    "I/2019": Dialect(
        written([f"{['I', 'II', 'III', 'IV'][t.quarter - 1]}/{t.year}" for t in quarters], points),
        quarters,
    ),
    "Q1 FY2019": Dialect(
        written([f"Q{t.quarter} FY{t.year}" for t in quarters], points), counted,
        needs={"count": True}, named="in which month the fiscal year begins",
    ),
    **{
        f"weeks like months, called {name}": Dialect(
            written([f"{t:%G%V}" for t in few_weeks], points[:9], header=(name, "units")),
            few_weeks, VALUES[:9], needs={"date_format": "%G%V"},
        )
        for name in ("Kalenderwoche", "CW", "wk", "yyyyww", "vecka")
    },
    # instruments and other layouts
    "a logger whose first column is called #": Dialect(
        lines('"Plot Title: attic"', '"#","Date Time, GMT-05:00","Temp, °F","Stopped"',
              *(f"{i},{t:%m/%d/%y %I:%M:%S %p},{v}," for i, (t, v) in
                enumerate(zip(naive, points, strict=True), 1))).encode(),
        naive, needs={"dayfirst": False}, named="--no-dayfirst",
    ),
    "texts that are formulas": Dialect(
        written([f'="{t}"' for t in iso], [f'="{v}"' for v in points])
    ),
    "dates with points, first of the month": Dialect(
        written(dates("%d.%m.%Y", MONTHS), points), MONTHS, said="dates like 31.12.2019"
    ),
    "dates with points, month first": Dialect(
        written(dates("%m.%d.%Y", MONTHS), points), MONTHS, given={"dayfirst": False}
    ),
    "months of the future without values": Dialect(
        lines("when,units", *(f"{t},{v}" for t, v in
              zip(dates("%Y-%m", MONTHS), [*points[:7], "NA", points[8], "", " ", ""],
                  strict=True))).encode(),
        MONTHS[:9], [*VALUES[:7], nan, VALUES[8]],
        said="1 missing, dates like 2019-12, 3 times without a value at the end left out",
    ),
    "months of the future without values, newest first": Dialect(
        written(dates("%Y-%m", MONTHS)[::-1], ["", "", *points[2:]]), MONTHS[:10],
        VALUES[2:][::-1], said="2 times without a value at the end left out",
    ),
    "two shops one after the other": Dialect(
        lines("when,shop,units", *(f"{t},{'A' if i < 7 else 'B'},{v}" for i, (t, v) in
              enumerate(zip(iso, points, strict=True)))).encode(),
        said="'shop' is 'A' (7 rows), then 'B' (5 rows): taken as one series",
    ),
}  # fmt: skip
