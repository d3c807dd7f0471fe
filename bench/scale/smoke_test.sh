#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: smoke_test.sh BENCH_SCALE FOLDER
# A few small steps of every kind, of one workload: each must be there with a time; and where there are
# processes, the promise must be compared and the model must predict as many nodes as it should.
set -eu
mkdir -p "$2"
page=$2/scaling.md
rm -f "$page" "$2/scaling.svg"
"$1" --quick --workloads W2 --markdown "$page" --json "$2/scale.json" >"$2/table.txt" 2>"$2/progress.txt" || {
  cat "$2/table.txt" "$2/progress.txt"
  exit 1
}
cat "$2/table.txt"
fail() {
  echo "$*"
  exit 1
}
mkdir -p "$2/again"
"$1" --from "$2/scale.json" --markdown "$2/again/scaling.md" | cmp - "$2/table.txt" ||
  fail "the terminal's tables are others when they are drawn again"
cmp "$page" "$2/again/scaling.md" || fail "the page is another when it is drawn again"
if "$1" --markdown "$2/nowhere/scaling.md" >"$2/nowhere.txt" 2>&1; then fail "wrote to a folder that is not there"; fi
grep -q "there is no folder $2/nowhere" "$2/nowhere.txt" || fail "does not say that the folder is missing"
ways=threads
grep -q '| processes |' "$page" && ways='threads processes'
for ranks in 2 4; do
  for way in $ways; do
    for scaling in strong weak; do
      grep -qE "^\| W2 \| $scaling \| $way \| $ranks \|.*\| [0-9.]*[1-9][0-9]* \| [0-9]+ % \|" "$page" ||
        fail "no time of $ranks $way, $scaling"
    done
  done
done
[[ $ways == threads ]] && exit 0
grep -qE '^\| (holds|\*\*fails\*\*) \| sum over 4 processes, 64 KiB and more' "$page" ||
  fail "the time of messages is not compared"
for network in "this machine's memory" "100 Gbit/s, 10 µs" "25 Gbit/s, 20 µs"; do
  grep -qE "^\| W2 \| weak \| $network( \| [0-9.]+ ms, [0-9]+ %){7} \|" "$page" ||
    fail "nothing predicted for 1024 nodes, $network"
  grep -qE "^\| W2 \| strong \| $network( \| [0-9.]+ ms, [0-9]+ %){5} \| – \| – \|" "$page" ||
    fail "128 examples do not end at 128 nodes, $network"
done
grep -q '</svg>' "$2/scaling.svg" || fail "there is no chart"
