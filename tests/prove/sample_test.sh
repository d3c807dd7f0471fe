#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: sample_test.sh PROVE FOLDER
# Tries one input in 1,024; a second run must go on from the first one's checkpoints, that is, have
# nothing left to do and say the same.
set -eu
rm -rf "$2"
"$1" --sample 1024 --out "$2" 2>/dev/null | tee "$2.txt"
grep -q "Every bound holds" "$2.txt"
"$1" --sample 1024 --out "$2" 2>"$2.progress" | cmp - "$2.txt"
test "$(wc -l <"$2/accuracy.csv")" -eq 44
