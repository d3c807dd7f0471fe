#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: compare_replays.sh PROGRAM ARGUMENT...
# Every replay of the program leaves the bits of an eager run, and there are some.
set -u
output=$(ACLGRAD_SESSION=compare "$@" 2>&1)
status=$?
printf '%s\n' "$output"
((status == 0)) || { echo "exit status $status"; exit 1; }
pattern='^aclgrad: compared [1-9][0-9]* runs of [1-9][0-9]* sessions with eager ones: the same bits$'
grep -qE "$pattern" <<<"$output" || { echo "nothing was compared"; exit 1; }
