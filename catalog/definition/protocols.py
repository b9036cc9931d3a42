"""How each figure was measured."""

from typing import Literal

from .fields import Count, CountFromZero, Day, Items, Line, Section, Slug, Text, TokenSpan
from .figures import FigureFromZero


class ValidationProtocol(Section):
    """The first check of the bring-up."""

    purpose: Text
    prompt_tokens: TokenSpan
    prompt_note: Text
    output_tokens: Count
    warmup_requests: CountFromZero
    measured_requests: Count


class HeadlineProtocol(Section):
    """A comparison of operating profiles in which one variable changed."""

    date: Day
    arms: Items[Slug]
    figures_public: bool
    one_variable: Text
    same: Text
    requests_per_arm: Count
    completed_per_arm: CountFromZero
    concurrency: Count
    prompt_tokens_target: Count
    output_tokens: Count
    temperature: FigureFromZero
    streaming: bool
    seed: Line
    run_to_requested_output_length: bool


class ServingCurveProtocol(Section):
    """The protocol of every point of the serving curve."""

    prompt_tokens: Count
    output_tokens: Count
    temperature: FigureFromZero
    streaming: bool
    seed: Line
    warmup_requests_per_point: CountFromZero
    throughput_unit: Literal["output tokens per second"]


class Protocols(Section):
    """Every protocol by its name; points and comparisons refer to these names."""

    validation: ValidationProtocol | None = None
    headline: HeadlineProtocol | None = None
    serving_curve: ServingCurveProtocol
