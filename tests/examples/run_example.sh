#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_example.sh EXPECTED PROGRAM [ARGUMENT...]
set -u
expected=$1
shift
output=$("$@" 2>&1)
status=$?
printf '%s\n' "$output"
((status == 0)) || { echo "exit status $status"; exit 1; }
grep -qE -- "$expected" <<<"$output" || { echo "the output does not match: $expected"; exit 1; }
