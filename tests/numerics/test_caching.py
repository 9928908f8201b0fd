"""Where machine code is kept, when what is kept is out of date, and what damage does to it."""

import importlib.util

import numba
import pytest

from gpforecast.numerics.compiled import caching, compiling
from gpforecast.numerics.compiled.delay import integrate_mackey_glass

pytestmark = pytest.mark.skipif(
    not hasattr(integrate_mackey_glass, "py_func"), reason="numba is switched off"
)


def call(folder, source="hash of the folder"):
    """Call the function of a file as a new process does: its value, and where it was from."""
    spec = importlib.util.spec_from_file_location("successor", folder / "successor.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = caching.dispatcher(module.successor, {"nogil": True}, source)
    value = made(1.0)
    return value, "disk" if made.stats.cache_hits else "compiler"


def kept(folder, kind="*"):
    return sorted((folder / "__pycache__").glob(f"successor.successor*.{kind}"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # wherever else it may be kept here
    (tmp_path / "successor.py").write_text("def successor(x):\n    return x + 1.0\n")
    return tmp_path


@pytest.fixture
def announced(monkeypatch):
    caching._say_that_it_compiles.cache_clear()
    caching._warn.cache_clear()
    messages = []
    monkeypatch.setattr(caching, "announce", messages.append)
    return messages


def test_code_is_kept_next_to_its_source_and_the_first_compilation_is_announced(folder, announced):
    assert call(folder) == (2.0, "compiler")
    assert call(folder) == (2.0, "disk")
    assert {file.suffix for file in kept(folder)} == {".nbc", ".nbi"}
    (message,) = announced
    assert "once on this machine" in message


def test_functions_compile_where_no_directory_can_be_written_and_say_so_once(
    folder, announced, monkeypatch
):
    # Even root cannot make a directory below a file: that is how the paths are made unwritable.
    for name in ("HOME", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(folder / "successor.py"))
    (folder / "__pycache__").write_text("")
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as caught:
        assert [call(folder), call(folder)] == [(2.0, "compiler")] * 2
    assert len(caught) == 1
    assert announced == []


def test_functions_compile_where_the_disk_is_full(folder, announced, monkeypatch):
    def full(*_):
        raise OSError("No space left on device")

    monkeypatch.setattr(caching.FunctionCache, "save_overload", full)
    with pytest.warns(RuntimeWarning, match="has room"):
        assert call(folder) == (2.0, "compiler")


def test_code_is_out_of_date_when_any_file_of_the_folder_has_changed(folder, monkeypatch):
    monkeypatch.setattr(compiling, "__file__", str(folder / "compiling.py"))
    first = compiling._hash_of_folder()
    assert compiling._hash_of_folder() == first
    assert call(folder, first) == (2.0, "compiler")
    files = kept(folder)
    (folder / "helper.py").write_text("")
    second = compiling._hash_of_folder()
    assert call(folder, second) == (2.0, "compiler")
    assert call(folder, second) == (2.0, "disk")
    assert kept(folder) == files  # replaced where they stood
    assert integrate_mackey_glass._cache._cache_file._source_stamp == compiling.SOURCE


def test_processes_that_compile_two_variants_at_once_do_not_exchange_them(tmp_path, monkeypatch):
    (tmp_path / "plus.py").write_text(
        "def plus(a):\n    def add(x):\n        return x + a\n    return add\n"
    )
    spec = importlib.util.spec_from_file_location("plus", tmp_path / "plus.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def process(a):
        return caching.dispatcher(module.plus(a), {"nogil": True}, "source")

    one, two = process(1.0), process(2.0)
    files = one._cache._cache_file
    write = files._save_data

    def write_after_the_other(*what):
        assert two(1.0) == 3.0
        write(*what)

    monkeypatch.setattr(files, "_save_data", write_after_the_other)
    monkeypatch.setattr(two._cache._cache_file, "_load_index", dict)  # it read before either wrote
    assert one(1.0) == 2.0
    again = process(1.0), process(2.0)
    assert [made(1.0) for made in again] == [2.0, 3.0]
