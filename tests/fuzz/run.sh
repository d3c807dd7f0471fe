#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: tests/fuzz/run.sh BUILD_FOLDER TARGET SECONDS
# Lets libFuzzer try a target. What came of it is printed and, without a finding, written into
# BUILD_FOLDER/findings/TARGET.txt; a finding is an exit status of 1, and its input stays in that folder.
set -euo pipefail
build=$1 target=$2 seconds=$3
# What is found on the way stays in the build folder; the small corpus of the project is read.
corpus=$build/corpus/$target found=$build/findings/$target
mkdir -p "$corpus" "$build/findings"
rm -f "$found.txt"
# The entropic schedule counts, after every execution, what each input of the corpus covers: with the
# thousands of features of an operator, that takes most of the time.
if ! "$build/bin/fuzz_$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
  -max_len=4096 -entropic=0 -artifact_prefix="$found-" -print_final_stats=1 \
  "$corpus" "tests/fuzz/corpus/$target" >"$found.log" 2>&1; then
  tail -40 "$found.log" >&2
  echo "fuzz $target: a finding; the input lies in $build/findings" >&2
  exit 1
fi
executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")
echo "$seconds s, $executions executions, no finding" >"$found.txt"
echo "fuzz $target: $(<"$found.txt")"
