"""The options that say how a file is written, and their help."""

import argparse

_HOW = """\
What is not given here is detected. What can be read in two ways is refused with the option that
decides."""


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `FileOptions` that are not on a parser yet."""
    group = parser.add_argument_group("how FILE is written", _HOW)

    def option(flag: str, metavar: str, text: str) -> None:
        group.add_argument(flag, metavar=metavar, help=text)

    option("--sep", "C", "between fields: a character, or comma, semicolon, tab, pipe, space")
    group.add_argument("--decimal", choices=[".", ","], help="the decimal mark; the other, spaces "
                       "and apostrophes are then between thousands")  # fmt: skip
    option("--encoding", "CODE", "of the text, such as utf-8, cp1252, utf-16-le")
    group.add_argument("--header", action=argparse.BooleanOptionalAction,
                       help="the first row has names or, with --no-header, data; columns are then "
                       "called 1, 2, ...")  # fmt: skip
    group.add_argument("--skip-rows", metavar="N", type=_count, help="lines before the table")
    group.add_argument("--skip-footer", metavar="N", type=_count, default=0,
                       help="rows after the table, such as totals")  # fmt: skip
    option("--sheet", "NAME", "of a spreadsheet")
    _listed(group, "--missing", "another text that stands for a missing value; may be repeated")
    _listed(group, "--zero", "a text that stands for 0, such as -; may be repeated")
    _listed(group, "--ignore", "a text before or behind numbers to leave out, such as a flag; "
            "may be repeated")  # fmt: skip
    how = "such as %%d.%%m.%%Y; or number, excel (days) or unix (seconds)"
    option("--date-format", "FORMAT", how)
    group.add_argument("--dayfirst", action=argparse.BooleanOptionalAction,
                       help="03/04/2019 is in April or, with --no-dayfirst, in March")  # fmt: skip
    option("--timezone", "ZONE", "of the times, such as Europe/Paris; times with offsets from UTC "
           "are brought to it")  # fmt: skip
    group.add_argument("--sort", action="store_true", help="bring the rows in the order of times")
    group.add_argument("--duplicates", choices=["mean", "sum", "first", "last"],
                       help="what to take of rows of the same time")  # fmt: skip
    group.add_argument("--count", action="store_true",
                       help="number the rows from 0, whatever dates there are")  # fmt: skip


def _listed(group: argparse._ArgumentGroup, flag: str, text: str) -> None:
    group.add_argument(flag, metavar="TEXT", action="append", default=[], help=text)


def _count(text: str) -> int:
    if text.isdecimal():
        return int(text)
    raise argparse.ArgumentTypeError(f"must be an integer from 0 up; got {text!r}.")
