#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: outputs.sh [--compare] PAGE PROGRAM...
# Runs the program of the page (see program.awk) in the current folder and writes what it prints into
# the page's blocks of text, or fails when something else stands there.
set -euo pipefail
compare=0
if [[ $1 == --compare ]]; then
  compare=1
  shift
fi
page=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$@" | tee "$work/printed.txt" || { echo "the program of $page failed"; exit 1; }
awk -v printed="$work/printed.txt" '
  /^```cpp$/ { program = 1 }
  /^```text$/ && program {
    print
    while ((getline line < printed) > 0 && line != "\x1e") print line
    inside = 1
    next
  }
  /^```$/ { inside = 0 }
  !inside
  END {
    while ((getline line < printed) > 0) {
      print "the program prints what is not in the page: " line > "/dev/stderr"
      exit 1
    }
  }' "$page" >"$work/page.md"
if ((compare)); then
  diff "$page" "$work/page.md" || { echo "$page shows other outputs: ./dev docs writes them anew"; exit 1; }
elif ! cmp -s "$page" "$work/page.md"; then
  cp "$work/page.md" "$page"
  echo "wrote $page"
fi
