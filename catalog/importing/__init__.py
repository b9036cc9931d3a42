"""From the results of benchmark tools to points of a definition."""

from .planning import Imported, import_results
from .problems import ImportRefused
from .results import ResultFile
from .writing import write_import

__all__ = ["ImportRefused", "Imported", "ResultFile", "import_results", "write_import"]
