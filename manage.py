#!/usr/bin/env python
"""Django's command line. Commands that change the schema connect as the owner role."""

import os
import sys

OWNER_COMMANDS = {"migrate", "makemigrations", "showmigrations", "sqlmigrate"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if sys.argv[1:2] and sys.argv[1] in OWNER_COMMANDS:
        os.environ.setdefault("TOUCHSTONE_DATABASE_ROLE", "owner")
    try:
        from django.core.management import execute_from_command_line
    except ImportError:
        sys.exit(
            "Django is not installed here. Run `make install`, then `.venv/bin/python manage.py`."
        )
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
