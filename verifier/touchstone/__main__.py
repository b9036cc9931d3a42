"""`python -m touchstone`: the command without an installation, as from the copy in a kit."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a copy in a kit runs on whatever is at hand
    sys.stderr.write("touchstone: could not check, it needs Python 3.11 or newer\n")
    sys.exit(2)

from touchstone.cli import main

if __name__ == "__main__":
    sys.exit(main())
