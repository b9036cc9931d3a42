"""The definition of one version of a package: the schema of ``package.yaml``."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from .commerce import Price
from .evidence import AcceptedFinding, RawFile
from .fields import Day, Items, Line, OptionalItems, Section, Slug, Text, Version
from .hardware import Hardware
from .measurements import Comparison, MeasuredPoint, OtherPoint, ServingCurve
from .model import Engine, Model, Profile
from .problems import refuse
from .protocols import Protocols
from .rules import broken_rules
from .upstream import StandIn, Upstream, Weights, Withheld


class ContentEntry(Section):
    """A file or a folder of the kit (a folder ends with a slash) and what it is for."""

    path: Line
    purpose: Text


class KitSection(Section):
    """What is in the kit; the size is the published text, a card shows the size of the bytes."""

    published_size: Line
    contents: Items[ContentEntry]


class WithheldClaim(Section):
    """A claim whose figures are not public, and why."""

    claim: Text
    reason: Text


class NotMeasured(Section):
    """Something that nobody measured, said as plainly as the figures are."""

    subject: Text
    note: Text | None = None


class LicenceNamed(Section):
    """The licence terms that a version asks its buyers for; newer ones of the family serve too."""

    family: Slug
    version: Annotated[str, Field(pattern=r"^\d{1,4}(\.\d{1,4}){1,2}$")]


class PublicDefinition(Section):
    """Everything that is said in public about one version: what its benchmark receipt signs."""

    schema_version: Literal[1]
    slug: Slug
    version: Version
    title: Line
    tier: Literal["enterprise"]
    licence_terms: LicenceNamed | None = None
    released: Day
    summary: Text
    changelog: Items[Text]
    price: Price
    kit: KitSection
    model: Model
    weights: Weights
    upstream: Upstream
    hardware: Hardware
    engine: Engine
    profiles: Items[Profile]
    prerequisites: Items[Text]
    protocols: Protocols
    serving_curve: ServingCurve
    other_points: OptionalItems[OtherPoint]
    comparisons: OptionalItems[Comparison]
    claims_withheld: OptionalItems[WithheldClaim]
    not_measured: Items[NotMeasured]
    limits: Items[Text]
    raw_files: OptionalItems[RawFile] = ()
    accepted_findings: OptionalItems[AcceptedFinding] = ()
    stand_ins: OptionalItems[StandIn]

    @model_validator(mode="after")
    def _sections_agree(self) -> Self:
        refuse(broken_rules(self))
        return self

    @property
    def release(self) -> str:
        """``<slug>-<version>``: the name of the kit and of its root folder."""
        return f"{self.slug}-{self.version}"

    @property
    def profile_names(self) -> tuple[str, ...]:
        """The names of the operating profiles, in the order of the definition."""
        return tuple(profile.name for profile in self.profiles)

    @property
    def measured_points(self) -> tuple[MeasuredPoint, ...]:
        """The points of the serving curve that were measured."""
        return tuple(p for p in self.serving_curve if isinstance(p, MeasuredPoint))

    @property
    def measures_itl(self) -> bool:
        """Whether any point has the latency between tokens, which not every tool reports."""
        return any(point.itl for point in self.measured_points)

    def as_data(self) -> dict[str, Any]:
        """The definition as plain JSON data; what was not said is left out."""
        return self.model_dump(mode="json", exclude_none=True)

    def stand_in(self, key: str) -> str | None:
        """Return the wording for one stand-in, or None where the thing itself is there."""
        return next((each.wording for each in self.stand_ins if each.key == key), None)


class Definition(PublicDefinition):
    """The source of one version; every page, card and receipt reads it here."""

    withheld: Withheld
