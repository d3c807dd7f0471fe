#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: markdown_filter.sh FILE
# The page as Doxygen takes it, see pages.py.
exec python3 "$(dirname "$0")/pages.py" --filter "$1"
