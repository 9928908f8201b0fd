"""Files as shops, banks and offices export them: prices without cents, titles, units, totals."""

import pandas as pd
from cli_dialects import (
    DAYS,
    MONTHS,
    VALUES,
    WHOLE,
    Dialect,
    commas,
    counted,
    dates,
    europe,
    iso,
    lines,
    points,
    quarters,
    rows,
    written,
)

daily = pd.date_range("2019-03-25 06:00", periods=12, tz="Europe/Paris")
german_days = ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"]
spanish, french = ["enero", "febrero"], ["janv.", "février"]
more = pd.date_range("2019-01-28", periods=12)
long = ["Januar", "Februar"]
data = [f"{t};{v}" for t, v in zip(dates("%d.%m.%Y"), europe, strict=True)]

EXPORTS = {
    # prices
    "a dash for no cents": Dialect(
        written(dates("%d.%m.%Y"), [f"{v:.0f},-" for v in WHOLE], ";"), values=WHOLE
    ),
    "a dash for no cents, before the currency": Dialect(
        written(dates("%d.%m.%Y"), [f"{v:.0f},– €" for v in WHOLE], ";"), values=WHOLE
    ),
    "two dashes for no cents": Dialect(
        written(dates("%d.%m.%Y"), [f"{v:.0f},--" for v in WHOLE], ";"), values=WHOLE
    ),
    "Swiss prices": Dialect(
        written(dates("%d.%m.%Y"), [f"Fr. {v:,.0f}.-" for v in WHOLE], ";"), values=WHOLE
    ),
    "signs at the end": Dialect(
        written(dates("%d.%m.%Y"), [f"{v}-" for v in commas], ";"), values=[-v for v in VALUES]
    ),
    "a dash for no cents, and signs at the end": Dialect(
        written(dates("%d.%m.%Y"), ["5,-", "7-", *commas[2:]], ";"), index=None, named="sign"
    ),
    # what stands above and below
    "a title that is filled up": Dialect(
        lines("Report 2019;", ";", "Datum;Umsatz", *data).encode()
    ),
    "a title without a blank line": Dialect(
        lines("Report 2019;", "Datum;Umsatz", *data).encode()
    ),
    "a head of keys and values": Dialect(
        lines("Shop;North", "Year;2019", ";", "Datum;Umsatz", *data).encode()
    ),
    "units below the names": Dialect(
        lines("Date,Load", "UTC,MW", *rows).encode()
    ),
    "a total of another language": Dialect(
        lines("Datum;Umsatz", *data, "Gesamtergebnis;3,0").encode(), needs={"skip_footer": 1}
    ),
    "a total of a year": Dialect(
        lines("Datum;Umsatz", *data, "2019 total;3,0").encode(), needs={"skip_footer": 1}
    ),
    # times
    "01.2019": Dialect(written(dates("%m.%Y", MONTHS), europe, ";"), MONTHS),
    "2019.01": Dialect(written(dates("%Y.%m", MONTHS), points), MONTHS),
    "01.2019, two years": Dialect(
        written(dates("%m.%Y", MONTHS + pd.DateOffset(months=6)), europe, ";"),
        MONTHS + pd.DateOffset(months=6),
    ),
    "values like months": Dialect(
        written(iso, ["11.2019", "3.1987", *["7.2001"] * 10]),
        values=[11.2019, 3.1987, *[7.2001] * 10],
    ),
    "days of the week in German": Dialect(
        written([f"{german_days[t.weekday()]}, {t:%d.%m.%Y}" for t in DAYS], europe, ";")
    ),
    "long dates in German": Dialect(
        written([f"Sonntag, {t.day}. {long[t.month - 1]} {t.year}" for t in DAYS], europe, ";")
    ),
    "long dates in Spanish": Dialect(
        written([f"{t.day} de {spanish[t.month - 1]} de {t.year}" for t in DAYS], points)
    ),
    "long dates in French": Dialect(
        written(
            [f"{t.day}{'er' * (t.day == 1)} {french[t.month - 1]} {t.year}" for t in more], points
        ),
        more,
    ),
    "20190120T0000": Dialect(written(dates("%Y%m%dT%H%M"), points)),
    "quarters of fiscal years": Dialect(
        written([f"FY{t:%y} Q{t.quarter}" for t in quarters], points), counted,
        needs={"count": True}, named="--time",
    ),
    "semicolons in the header, dates unknown": Dialect(
        written([f"{t.quarter}. Quartal {t.year}" for t in quarters], commas, ";"), counted,
        needs={"count": True}, named="--time",
    ),
    "years and months apart": Dialect(
        lines(
            "Year,Month,Sales", *(f"{t:%Y,%-m},{v}" for t, v in zip(MONTHS, points, strict=True))
        ).encode(),
        counted, needs={"count": True}, named="one column", given={"value": "Sales"},
    ),
    "clocks that change": Dialect(
        written([t.isoformat() for t in daily], points), daily,
        needs={"timezone": "Europe/Paris"},
    ),
}  # fmt: skip
