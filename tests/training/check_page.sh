#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_page.sh ROOT
# Every test that docs/guide/training.md names is there, and every promise on random models is on the page.
set -u
cd "$1" || exit 1
page=docs/guide/training.md
broken=0
for name in $(grep -oE '`[A-Z][A-Za-z0-9]*\.[A-Z][A-Za-z0-9]*`' "$page" | tr -d '`' | sort -u); do
  grep -rqE "TEST(_F|_P)?\(${name%.*}, ${name#*.}\)" tests || {
    echo "$page: there is no test $name"
    broken=1
  }
done
for name in $(sed -nE 's/^TEST\(Promise, ([A-Za-z0-9]+)\).*/\1/p' tests/training/properties/promises_test.cpp); do
  grep -qF "\`Promise.$name\`" "$page" || {
    echo "$page does not name Promise.$name"
    broken=1
  }
done
exit $broken
