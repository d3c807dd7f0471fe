#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_example.sh [--picture WRITTEN SHOWN] PROGRAM EXPECTED...
# Runs the program: exit status 0, every EXPECTED in its output, and in the picture that it wrote the
# words and numbers of the one that the documents show.
set -u
picture=()
if [[ $1 == --picture ]]; then
  picture=("$2" "$3")
  shift 3
fi
program=$1
shift
output=$("$program" 2>&1)
status=$?
printf '%s\n' "$output"
((status == 0)) || { echo "exit status $status"; exit 1; }
for expected in "$@"; do
  grep -qE -- "$expected" <<<"$output" || { echo "the output does not match: $expected"; exit 1; }
done
texts() {
  grep -o '>[^<]*</text>' "$1"
}
if ((${#picture[@]})); then
  grep -q '</svg>' "${picture[0]}" || { echo "${picture[0]} is no complete picture"; exit 1; }
  diff <(texts "${picture[0]}") <(texts "${picture[1]}") ||
    { echo "${picture[1]} is not what the program draws: copy ${picture[0]} there"; exit 1; }
fi
