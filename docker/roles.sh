#!/bin/sh
# Runs once, when the database's volume is new: the owner migrates, the application role serves.
# psql quotes the passwords (:'name'), so any character may stand in them.
set -eu
psql -v ON_ERROR_STOP=1 -v owner="$OWNER_PASSWORD" -v app="$APP_PASSWORD" \
    --username postgres --dbname postgres <<'SQL'
CREATE ROLE touchstone_owner LOGIN PASSWORD :'owner';
CREATE ROLE touchstone_app LOGIN PASSWORD :'app';
CREATE DATABASE touchstone OWNER touchstone_owner;
SQL
