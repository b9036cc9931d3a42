#!/bin/sh
# STAND-IN: nobody has published the serve command that was measured.
# The receipt commits to these bytes all the same, so that the check of a commitment can be tried.
echo "STAND-IN: the measured serve command of Kimi K3 on 8x B300 is not published" >&2
exit 1
