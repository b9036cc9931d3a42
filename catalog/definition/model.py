"""The model that the kit serves, and the engine that serves it."""

from .fields import Count, Line, Section, Slug, Text
from .figures import PositiveFigure


class Model(Section):
    """Parameters are counts; ``parameters_active`` is per token."""

    name: Line
    upstream_licence: Line
    licence_note: Text
    parameters_total: PositiveFigure
    parameters_active: PositiveFigure
    parameters_active_note: Text
    layers: Count
    layers_kind: Line
    context_limit: Count


class Engine(Section):
    """The serving engine, with what a buyer must know about its releases."""

    name: Line
    note: Text


class Profile(Section):
    """One operating profile; its name is the folder under ``deploy/``."""

    name: Slug
    summary: Text
