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
    naive,
    points,
    quarters,
    rows,
    unix,
    utc,
    weeks,
    written,
)

daily = pd.date_range("2019-03-25 06:00", periods=12, tz="Europe/Paris")
german_days = ["Mo", "Di", "Mi", "Do", "Fr", "Sa", "So"]
spanish, french = ["enero", "febrero"], ["janv.", "février"]
more = pd.date_range("2019-01-28", periods=12)
long = ["Januar", "Februar"]
signed = [-v if i % 3 else v for i, v in enumerate(WHOLE)]
order = [2, 0, 1, *range(3, 12)]
years = pd.date_range("2001-06-01", periods=12, freq="YS-JUN")
few_weeks = pd.date_range("2018-12-31", periods=9, freq="7D")
six_hours = pd.date_range("2019-05-01", periods=12, freq="6h")
halves = pd.date_range("2001-06-01", periods=12, freq="6MS")
like_months = [f"{2001 + i // 3}.{(1, 5, 9)[i % 3]:02d}" for i in range(12)]
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
    "a dash for no cents, and negative prices": Dialect(
        written(dates("%d.%m.%Y"), [f"{v:.0f},-" for v in signed], ";"), values=signed
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
    "two tables, one below the other": Dialect(
        lines("date,value", *rows[:3], "", "date,value", *rows[3:]).encode(), index=None,
        named="'value' in column 'value', line 6",
    ),
    "units below the names": Dialect(
        lines("Date,Load", "UTC,MW", *rows).encode()
    ),
    "units below some names, and a missing value": Dialect(
        lines("date,load", ",MW", rows[0], f"{iso[1]},NA", *rows[2:]).encode(),
        values=[VALUES[0], float("nan"), *VALUES[2:]],
    ),
    "a word in the first row of the only column": Dialect(
        lines("load", "broken", *points[1:]).encode(), counted,
        [float("nan"), *VALUES[1:]], needs={"missing": ("broken",)},
    ),
    "a word in the first row, and a label": Dialect(
        lines("shop,load", "north,broken", *(f"{c},{v}" for c, v in zip("abcdefghijk", points[1:],
              strict=True))).encode(),
        counted, [float("nan"), *VALUES[1:]], needs={"missing": ("broken",)},
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
    "01.2019, not sorted": Dialect(
        written(dates("%m.%Y", MONTHS[order]), [points[i] for i in order]), MONTHS,
        needs={"sort": True},
    ),
    "2019.01, twice": Dialect(
        written([*dates("%Y.%m", MONTHS), "2019.12"], [*points, "0"]), MONTHS,
        needs={"duplicates": "first"},
    ),
    "01.2019 by years": Dialect(
        written(dates("%m.%Y", years), points), years
    ),
    "01.2019 apart, and a name that says so": Dialect(
        written(dates("%m.%Y", halves), points, header=("Monat", "units")), halves
    ),
    "prices like months that rise": Dialect(
        written([f"{1.5 + 0.1 * i:.1f}" for i in range(12)], like_months, header=("x", "price")),
        counted, [float(v) for v in like_months], needs={"value": "price"},
    ),
    "a column of prices like months": Dialect(
        lines("price", *like_months).encode(), counted, [float(v) for v in like_months]
    ),
    "days of three months, by day, are not months": Dialect(
        written([f"{m}-{d:02d}" for d in range(1, 5) for m in ("Jan", "Feb", "Mar")], points),
        index=None, named="must have one step from row to row",
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
        written([f"{t.quarter}. Abschnitt {t.year}" for t in quarters], commas, ";"), counted,
        needs={"count": True}, named="--time",
    ),
    "years and months apart": Dialect(
        lines(
            "Year,Month,Sales", *(f"{t:%Y,%-m},{v}" for t, v in zip(MONTHS, points, strict=True))
        ).encode(),
        MONTHS, given={"value": "Sales"},
    ),
    "times that are numbers": Dialect(
        written([f"{0.25 * i:g}" for i in range(12)], points, header=("time", "units")),
        [0.25 * i for i in range(12)], needs={"time": "time"}, given={"value": "units"},
        named="pass --time 'time' to use these numbers as times",
    ),
    "years apart": Dialect(
        written(range(1960, 2020, 5), points, header=("Year", "units")),
        range(1960, 2020, 5), needs={"time": "Year"}, given={"value": "units"},
        named="pass --time 'Year' to use these numbers as times",
    ),
    "comments right of the values": Dialect(
        written(points, [f"{12 + i} kg" for i in range(12)], header=("units", "comment")), counted
    ),
    "codes right of the values": Dialect(
        written(points, [f"A{i}" for i in range(12)], header=("units", "product")), counted
    ),
    "weeks like months": Dialect(
        written([f"{t:%G%V}" for t in few_weeks], points[:9], header=("week", "units")),
        few_weeks, VALUES[:9], needs={"date_format": "%G%V"},
    ),
    "weeks like months, with dashes": Dialect(
        written([f"{t:%G-%V}" for t in few_weeks], points[:9], header=("ISO week", "units")),
        few_weeks, VALUES[:9], needs={"date_format": "%G-%V"},
    ),
    "weeks of calendars in German": Dialect(
        written([f"KW {t:%V}/{t:%G}" for t in weeks], europe, ";"), weeks
    ),
    "weeks of calendars in French": Dialect(
        written([f"{t:%G}-S{t:%V}" for t in weeks], europe, ";"), weeks
    ),
    "seconds with a fraction": Dialect(
        written([f"{int(t)}.250" for t in unix], points, header=("timestamp", "units")),
        utc.tz_localize(None) + pd.Timedelta("250ms"),
        needs={"date_format": "unix"}, given={"value": "units"},
    ),
    "microseconds since 1970": Dialect(
        written([f"{t}000000" for t in unix], points, header=("ts", "units")),
        utc.tz_localize(None), needs={"date_format": "unix"}, given={"value": "units"},
    ),
    "nanoseconds since 1970": Dialect(
        written([f"{t}000000000" for t in unix], points, header=("time", "units")),
        utc.tz_localize(None), needs={"date_format": "unix"}, given={"value": "units"},
    ),
    "seconds since 1970 under a name that does not say so": Dialect(
        written(unix, points, header=("x", "units")), utc.tz_localize(None),
        needs={"time": "x", "date_format": "unix"}, given={"value": "units"},
    ),
    "seconds beyond all dates": Dialect(
        written([f"{t}{'0' * 15}" for t in unix], points, header=("time", "units")), index=None,
        given={"value": "units", "time": "time", "date_format": "unix"}, named="is no date",
    ),
    "hours of Excel": Dialect(
        written([f"{43586 + i / 24:.5f}".replace(".", ",") for i in range(12)], commas, ";",
                header=("Datum", "units")),
        naive, needs={"date_format": "excel"}, given={"value": "units"},
    ),
    "hours in ten digits": Dialect(written(naive.strftime("%Y%m%d%H"), points), naive),
    "the first and the last moment of a step": Dialect(
        written([f"{t:%d.%m.%Y %H:%M} - {t + pd.Timedelta('1h'):%d.%m.%Y %H:%M}" for t in naive],
                points),
        naive,
    ),
    "intervals of ISO 8601": Dialect(
        written([f"{t:%Y-%m-%dT%H:%M}Z/{t + pd.Timedelta('1h'):%Y-%m-%dT%H:%M}Z" for t in naive],
                points),
        naive.tz_localize("UTC"),
    ),
    "a format that has the year twice": Dialect(
        written([f"{t:%Y-%m-%d} {t:%Y}" for t in DAYS], points), index=None,
        given={"time": "when", "date_format": "%Y-%m-%d %Y"}, named="is not in the format",
    ),
    "dates and clock times apart": Dialect(
        lines("Date,Time,units", *(f"{t:%Y-%m-%d,%H:%M},{v}" for t, v in
              zip(six_hours, points, strict=True))).encode(),
        six_hours,
    ),
    "years and weeks apart": Dialect(
        lines("Year,Week,units", *(f"{t:%G,%V},{v}" for t, v in zip(weeks, points, strict=True))
              ).encode(),
        weeks, given={"value": "units"},
    ),
    "years and names of months apart": Dialect(
        lines("Year,Month,units", *(f"{t:%Y,%B},{v}" for t, v in zip(MONTHS, points, strict=True))
              ).encode(),
        MONTHS, given={"value": "units"},
    ),
    "several series, one below the other": Dialect(
        lines("date,shop,units", *(f"{row.replace(',', f',{s},')}" for row in rows for s in "AB"
              )).encode(),
        index=None, named="'shop' tells them apart",
    ),
    "a column for each time": Dialect(
        lines("shop," + ",".join(iso), "north," + ",".join(points)).encode(), index=None,
        named="one below the other",
    ),
    "a column for each year, below a title": Dialect(
        lines("Source,Bank", "", "country,code," + ",".join(map(str, range(2001, 2013))),
              "Germany,DE," + ",".join(points), "France,FR," + ",".join(points)).encode(),
        index=None, named="--skip-rows 2 --header",
    ),
    "orders with a number sign": Dialect(
        lines("order,date,units", *(f"#{1001 + i},{row}" for i, row in enumerate(rows))).encode()
    ),
    "JSON": Dialect(b'[\n {"date": "2019-01-20", "units": 3}\n]', index=None, named="it is JSON"),
    "one unit": Dialect(written(iso, [f"{v} m³/h" for v in points])),
    "one unit, beside notes": Dialect(
        lines("when;note;units", *(f"{t};a;{v}°C" for t, v in zip(iso, commas, strict=True)))
        .encode()
    ),
    "two units": Dialect(
        written(iso, [f"{v} W" if i % 2 else f"{v} kW" for i, v in enumerate(points)]), index=None,
        named="is no number",
    ),
    "rupees": Dialect(written(iso, [f'"Rs. {v:,.2f}"' for v in VALUES])),
    "clocks that change": Dialect(
        written([t.isoformat() for t in daily], points), daily,
        needs={"timezone": "Europe/Paris"},
    ),
}  # fmt: skip
