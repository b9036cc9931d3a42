#!/bin/sh
# Find a Python that will do, and let it install a file of hashed pins: install.sh PINS
set -eu

candidates="${TOUCHSTONE_PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}"
found=""
for candidate in $candidates; do
    # Run it: the name alone says little, a shim may stand in for a Python that is not there.
    version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
        exec "$candidate" demo/install.py "$1"
    fi
    found="$found $candidate is Python $version;"
done

if [ -n "$found" ]; then
    echo "Python 3.11 or newer is needed:$found too old." >&2
else
    echo "Python 3.11 or newer is needed, and none of these runs here: $candidates." >&2
fi
echo "Install one (Debian 12, Ubuntu 24.04: apt-get install python3 python3-venv)," >&2
echo "or name it: make install TOUCHSTONE_PYTHON=/path/to/python3.11" >&2
exit 1
