"""The step before the last click: a summary, and a seal that these very answers were on it.

Nothing is stored between the two steps. The summary's form carries the answers and the seal;
whoever sends other answers, or none of ours, sees the summary of those first.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from django.utils.crypto import constant_time_compare, salted_hmac

from licensing.signing import details_of

if TYPE_CHECKING:
    from catalog.models import Package
    from licensing.forms import LicenceForm
    from licensing.models import User

SALT = "licensing.summary"


def seal(*, form: LicenceForm, account: User, package: Package) -> str:
    """The seal of a valid form's answers, as this account gives them for this package."""
    answers = {
        name: str(value)
        for name, value in form.cleaned_data.items()
        if name not in {"seen", "entity"}
    }
    party = form.party()
    # The entity as it reads now: renamed between the steps, it is shown again.
    said = [account.pk, package.pk, str(getattr(party, "pk", "")), asdict(details_of(party))]
    text = json.dumps([*said, answers], sort_keys=True)
    return salted_hmac(SALT, text, algorithm="sha256").hexdigest()


def was_seen(*, form: LicenceForm, account: User, package: Package) -> bool:
    """Whether a valid form carries the seal of its own answers."""
    expected = seal(form=form, account=account, package=package)
    return constant_time_compare(form.cleaned_data["seen"], expected)
