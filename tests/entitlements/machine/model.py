"""What the store should be like by now, told in plain objects that ask the product nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from catalog.models import PackageVersion
from entitlements.models import Payment, Purchase
from licensing.models import LicenceSignature, LicenceTerms, LicensedEntity, User

T = TypeVar("T")


@dataclass(eq=False, kw_only=True)
class Text:
    """Published terms: the `place`th of their family."""

    row: LicenceTerms
    family: str
    place: int


@dataclass(eq=False, kw_only=True)
class Offer:
    """A version: its own price and figure, the terms it asks for, the key it was signed with."""

    row: PackageVersion
    price_minor: int
    figures: list[str]
    asks: Text | None  # None: terms that nobody has published
    kid: str
    withdrawn: bool = False


@dataclass(eq=False, kw_only=True)
class Signed:
    """A signature, and what it was used for."""

    row: LicenceSignature
    house: LicensedEntity
    text: Text
    arguments: dict[str, Any]
    use: Sale | None = None

    @property
    def is_bought_with(self) -> bool:
        """Whether its use is the purchase that was opened with it."""
        return self.use is not None and self.use.row.signature_id == self.row.pk


@dataclass(eq=False, kw_only=True)
class Charge:
    """Money that came, and what moved it since: refunds by reference, one dispute."""

    row: Payment
    versions_before: int = 0  # how many versions were published when it came
    refunds: dict[str, int] = field(default_factory=dict)
    dispute: str = ""

    @property
    def kept(self) -> int:
        """What is left of it, in minor units."""
        taken = self.row.amount_minor if self.dispute in {"open", "lost"} else 0
        return self.row.amount_minor - taken - sum(self.refunds.values())

    @property
    def is_refunded(self) -> bool:
        """Whether refunds alone took all of it."""
        return sum(self.refunds.values()) >= self.row.amount_minor


@dataclass(eq=False, kw_only=True)
class Sale:
    """A purchase: its charges, the first of which pays it, and the texts it was signed under."""

    row: Purchase
    house: LicensedEntity
    offer: Offer
    texts: set[Text]
    charges: list[Charge] = field(default_factory=list)
    lapsed: bool = False  # it was paid two months ago, for a month
    renewed: Charge | None = None  # the first renewal after that

    @property
    def paid(self) -> bool:
        """Whether money came in."""
        return bool(self.charges)

    @property
    def held(self) -> bool:
        """Whether its money went back, or may."""
        first = self.charges[0]
        disputed = any(each.dispute == "open" for each in self.charges)
        return first.is_refunded or disputed or first.dispute == "lost"


@dataclass(kw_only=True)
class Store:
    """All of it. People are known by the first part of their address."""

    people: dict[str, User]
    verified: set[str]
    houses: list[LicensedEntity]
    roles: dict[tuple[LicensedEntity, str], str]
    active: set[str]
    keys: dict[str, str]  # the active one of each purpose
    old_keys: set[str] = field(default_factory=set)
    revoked: set[str] = field(default_factory=set)
    texts: list[Text] = field(default_factory=list)
    offers: list[Offer] = field(default_factory=list)
    signed: list[Signed] = field(default_factory=list)
    sales: list[Sale] = field(default_factory=list)
    links: dict[tuple[Sale, Offer, str], str] = field(default_factory=dict)  # the newest of each
    late: bool = False  # the time of every unused signature is over

    def current(self, family: str) -> Text | None:
        """The newest text of a family."""
        return next((each for each in reversed(self.texts) if each.family == family), None)

    def on_sale(self) -> Offer | None:
        """The newest version that is published."""
        return next((each for each in reversed(self.offers) if not each.withdrawn), None)

    def paid_sales(self) -> list[Sale]:
        """What was paid for."""
        return [each for each in self.sales if each.paid]

    def owners(self, house: LicensedEntity) -> set[str]:
        """Its owners whose account is open."""
        return {
            who for (at, who), role in self.roles.items() if at == house and role == "owner"
        } & (self.active)

    def is_open(self, sale: Sale, offer: Offer) -> bool:
        """Promise 3 without the person: paid, not held, published, covered, vouched for, signed."""
        return (
            sale.paid
            and not sale.held
            and not offer.withdrawn
            and (offer is sale.offer or not sale.lapsed or self._is_maintained(sale, offer))
            and offer.kid not in self.revoked
            and is_agreed(sale.texts, offer)
        )

    def _is_maintained(self, sale: Sale, offer: Offer) -> bool:
        paid = sale.renewed
        later = paid is not None and self.offers.index(offer) >= paid.versions_before
        return paid is not None and later and paid.kept > 0

    def opens(self, sale: Sale, offer: Offer, person: str) -> bool:
        """Promise 3: open, and the person is a member now."""
        member = person in self.active and (sale.house, person) in self.roles
        return member and self.is_open(sale, offer)

    def pairs(self) -> Iterator[tuple[Sale, Offer]]:
        """Everything that was paid for, with every version."""
        return ((sale, offer) for sale in self.paid_sales() for offer in self.offers)


def is_agreed(texts: set[Text], offer: Offer) -> bool:
    """Whether one of these is the text that a version asks for, or came after it."""
    asked = offer.asks
    return asked is not None and any(
        each.family == asked.family and each.place >= asked.place for each in texts
    )


def pick(things: list[T], number: int) -> T:
    """One of a list, by any number; the newest is 0."""
    return things[-1 - number % len(things)]
