"""Which texts are not taken for Windows-1252, and with what advice."""

import pytest
from cli_cases import read, refusal

ROWS = "".join(f"2019-01-{i:02d};{i}\n" for i in range(1, 13))
OTHERS = {
    "cp1251": ("Дата;Сумма", "'Дата'"),
    "cp1250": ("Miesiąc;Wartość", "'Miesiąc'"),
    "mac_roman": ("Date;Température", "'Température'"),
}
HEADERS = [
    "Datum;Größe", "Date;Température à l'œil", "Fecha;Señal de año", "När;Försäljning på ö",
    "Dato;Knæ, Ærø, æøå", "Data;Città perché", "Data;Não é ação", "Dagur;Hitastig á þaki",
    "Datum;Verbrauch m³h, µg, 5 £", "Datum;UmsatzÜbersee", "Päivä;Määrä", "Kuupäev;õhutemperatuur",
]  # fmt: skip


@pytest.mark.parametrize("code", OTHERS)
def test_a_text_whose_words_are_none_in_windows_1252_is_refused_with_its_encoding(code, tmp_path):
    header, word = OTHERS[code]
    path = tmp_path / "sales.csv"
    path.write_bytes(f"{header}\n{ROWS}".encode(code))
    told = refusal(path)
    assert f"with --encoding {code}, " in told
    assert word in told
    assert read(path, encoding=code).series.name == header.split(";")[1]


@pytest.mark.parametrize("header", HEADERS)
def test_words_of_western_languages_are_windows_1252(header, tmp_path):
    path = tmp_path / "sales.csv"
    path.write_bytes(f"{header}\n{ROWS}".encode("cp1252"))
    assert read(path).series.name == header.split(";")[1]


def test_a_spreadsheet_of_another_program_is_to_be_saved_as_xlsx(tmp_path):
    path = tmp_path / "sales.ods"
    kind = b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet"
    path.write_bytes(b"PK\x03\x04" + bytes(26) + kind)
    assert "it is an OpenDocument file (.ods). Save it as .xlsx or CSV" in refusal(path)
