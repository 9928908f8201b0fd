"""Texts in other encodings, of which Windows-1252 has a letter for almost every byte."""

import re

_LETTER = "A-Za-zÀ-ÖØ-öø-ÿ"
_HEAD = 4000  # characters from the beginning that are looked at
# What no language of Windows-1252 has in a word, and the encoding in which it would be one.
_ODD = {
    "cp1251": re.compile(r"(?<![\w])[À-ÖØ-öø-ÿ]{4,}(?![\w])"),  # accented letters only
    "cp1250": re.compile(rf"(?<=[{_LETTER}])(?:[¹¿¼¾ª£¥]|(?<!m)³)(?=[{_LETTER}œ])|œæ"),
    "mac_roman": re.compile(r"(?<=[a-z])(?:[ŽŠŸ](?=[a-z])|š§)"),  # é, ä, ü; ö before ß
}


def check_windows(data: bytes, text: str, name: str) -> None:
    """Refuse a text whose letters are those of another encoding than Windows-1252.

    Raises
    ------
    ValueError
        With the word that cannot be one, and what it is in the likely encoding.
    """
    head = text[:_HEAD]
    for code, odd in _ODD.items():
        found = odd.search(head)
        if found is None:
            continue
        start, end = found.span()
        while start > 0 and head[start - 1].isalpha():
            start -= 1
        while end < len(head) and head[end].isalpha():
            end += 1
        try:  # the encoding has one byte for each letter
            word = data[start:end].decode(code)
        except UnicodeError:
            word = ""
        likely = f"; with --encoding {code}, {head[start:end]!r} is {word!r}" if word else ""
        raise ValueError(
            f"{name} is no text in UTF-8, and {head[start:end]!r} is no word in Windows-1252; name "
            f"its encoding with --encoding{likely}."
        )
