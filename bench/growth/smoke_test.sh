#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: smoke_test.sh BENCH_GROWTH FOLDER
# The smallest sizes of every curve: each must be on the page with a time and an exponent.
set -eu
mkdir -p "$2"
page=$2/scaling-growth.md
rm -f "$page" "$2/scaling-growth.svg"
"$1" --quick --markdown "$page" --json "$2/growth.json" >"$2/table.txt"
fail() {
  echo "$*"
  exit 1
}
for axis in 'nodes run' layers parameters examples places; do
  grep -qE "^\| $axis \| record \| backward \| plan \| step \| memory \|" "$page" || fail "no curve of $axis"
done
rows=$(grep -cE '^\| [0-9,]+ \| [0-9.]+ [mµ]?s \|' "$page")
[[ $rows == 10 || $rows == 12 ]] || fail "$rows sizes in the place of 2 of each curve"
exponents=$(grep -cE '^\| exponent \| [*]*-?[0-9]+\.[0-9]{2}' "$page")
[[ $exponents == $((rows / 2)) ]] || fail "$exponents exponents"
grep -q '</svg>' "$2/scaling-growth.svg" || fail "there is no chart"
"$1" --from "$2/growth.json" | cmp - "$2/table.txt" || fail "the tables are others when they are drawn again"
