import pytest

from demo.walkthrough.forms import Form, FormReader
from demo.walkthrough.proof import ProofError

PAGE = """
<a href="/next/">Next</a>
<form method="post" action="/sign/">
  <input type="hidden" name="token" value="abc">
  <input name="signer" value="Bea &amp; Co">
  <textarea name="address">Line one
Line two</textarea>
  <select name="country"><option value="">Choose<option value="DE" selected>Germany</select>
  <select name="entity"><option value="new">New</option><option value="old">Old</option></select>
  <input type="checkbox" name="resale">
  <input type="checkbox" name="kept" value="yes" checked>
  <input name="gone" value="x" disabled>
  <button name="go" value="1">Sign</button>
</form>
"""


@pytest.fixture
def form() -> Form:
    return FormReader(PAGE).forms[0]


def test_an_untouched_form_sends_what_a_browser_sends(form: Form) -> None:
    assert form.filled({}) == {
        "token": "abc",
        "signer": "Bea & Co",
        "address": "Line one\nLine two",
        "country": "DE",
        "entity": "new",
        "kept": "yes",
    }


def test_true_ticks_a_box_and_false_leaves_it(form: Form) -> None:
    assert form.filled({"resale": True})["resale"] == "on"
    assert "resale" not in form.filled({"resale": False})


def test_a_control_that_is_not_there_is_refused_by_name(form: Form) -> None:
    with pytest.raises(ProofError, match=r"no control 'authority'.*'resale'"):
        form.filled({"authority": True})


def test_links_and_words_are_read() -> None:
    page = FormReader(PAGE)
    assert page.links == ["/next/"]
    assert page.words[0] == "Next"
