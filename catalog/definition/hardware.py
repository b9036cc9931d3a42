"""The machine that the figures were measured on."""

from typing import Self

from pydantic import model_validator

from .fields import Count, Line, Section


class Hardware(Section):
    """One node; memory in gigabytes as the maker counts them."""

    node: Line
    gpus: Count
    memory_per_gpu_gb: Count
    memory_total_gb: Count

    @model_validator(mode="after")
    def _total_is_the_sum(self) -> Self:
        if self.memory_total_gb != self.gpus * self.memory_per_gpu_gb:
            raise ValueError("memory_total_gb must be gpus times memory_per_gpu_gb")
        return self
