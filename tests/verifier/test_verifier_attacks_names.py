"""Names and links in tarballs that lead out, hide what they are, or are one file somewhere."""

import tarfile
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.hostile import Attacker
from tests.verifier.attacking import faults_of_kit, often
from tests.verifier.headers import FILES, changed, one, packed, with_kind
from tests.verifier.kits import ROOT

OUTSIDE = [
    "/etc/passwd",
    "//etc/passwd",
    "../a",
    f"{ROOT}/../../a",
    f"{ROOT}/..",
    f"{ROOT}/sub/../a",
    "..",
    ".",
    "",
    "/",
    f"./{ROOT}/a",
    f"{ROOT}//a",
    f"{ROOT}/.",
    f"{ROOT}/./a",
    f"{ROOT}/a/",
    f"{ROOT}/a\\b",
    f"C:\\{ROOT}\\a",
    "C:/a",
    f"{ROOT}\\..\\a",
    f"{ROOT}/a\nb",
    f"{ROOT}/\u202egz.rat",
    "other-1.0/a",
    f"{ROOT}/\u200b",
    f"{ROOT}/a\x7f",
    f"~/{ROOT}",
    "-rf",
    "a" * 100,
    "é" * 50,
]
ALIKE = [
    ("readme.MD", "README.md"),
    ("straße", "STRASSE"),
    ("é", "e\u0301"),
    ("ﬁle", "file"),
    ("Å", "\u212b"),
    ("K", "\u212a"),
    ("ſ", "s"),
    ("ΐ", "\u1fd3"),
    ("sub/a", "Sub/b"),
    ("a", "a/b"),
    ("İ", "i\u0307"),
    ("Σ", "ς"),
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_name_that_leads_out_or_hides_does_not_hold(attack: Attacker, name: str) -> None:
    for kind in (tarfile.REGTYPE, tarfile.DIRTYPE):
        member = tarfile.TarInfo("x")
        member.type = kind
        encoded = name.encode()[:100].ljust(100, b"\0")
        header = changed(member.tobuf(tarfile.USTAR_FORMAT), 0, encoded)
        folder_may_end_so = kind == tarfile.DIRTYPE and name == f"{ROOT}/a/"
        assert len(faults_of_kit(attack, packed(FILES, header))) == (not folder_may_end_so)


@pytest.mark.parametrize(
    "target", ["/etc/passwd", "../../etc", f"{ROOT}/README.md", "", "README.md"]
)
@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"4", b"6"])
def test_links_devices_and_pipes_do_not_hold(attack: Attacker, kind: bytes, target: str) -> None:
    assert len(faults_of_kit(attack, with_kind(kind, target))) == 1


@pytest.mark.parametrize(("first", "second"), ALIKE)
def test_names_that_are_one_somewhere_do_not_hold(
    attack: Attacker, first: str, second: str
) -> None:
    for names in ((first, second), (second, first)):
        [fault] = faults_of_kit(attack, packed(*(one(name) for name in names)))
        assert "one name where case is folded" in fault or "both a file and a folder" in fault


@often
@given(name=st.text(st.characters(categories=["L", "M", "N", "P"]), min_size=1, max_size=12))
def test_no_name_goes_beside_its_own_other_spellings(attack: Attacker, name: str) -> None:
    assume(set(name) - set("/\\.") and not set(name) & set("/\\"))
    forms = {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
    forms |= {name.upper().lower(), name.swapcase()}
    for form in forms - {name}:
        if unicodedata.normalize("NFC", form.casefold()) == unicodedata.normalize(
            "NFC", name.casefold()
        ):
            assert len(faults_of_kit(attack, packed(one(name), one(form)))) == 1
