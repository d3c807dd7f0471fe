#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: sample_test.sh PROVE FOLDER
# Tries one input in 2,048; a second run must go on from the first one's checkpoints, that is, have
# nothing left to do and say the same. Then another library, which must be found less than perfect:
# a proof that finds no fault with anything proves nothing.
set -eu
rm -rf "$2"
"$1" --sample 2048 --out "$2" 2>/dev/null | tee "$2.txt"
grep -q "Every bound holds" "$2.txt"
"$1" --sample 2048 --out "$2" 2>"$2.progress" | cmp - "$2.txt"
lines=$(grep -c ",aclgrad," "$2/accuracy.csv")
((lines == 98)) || { echo "only $lines lines were proven"; exit 1; }

"$1" --sample 2048 --out "$2" --peers --only "GeluV2 none" --markdown "$2.md" >"$2.peers.txt"
grep -q "^## Beside other libraries" "$2.md"
grep ",oneDNN," "$2/accuracy.csv" | grep -q "FLOAT,-" || { echo "oneDNN was not measured"; exit 1; }
grep ",oneDNN," "$2/accuracy.csv" | grep -qv ",0,0$" || { echo "no error of oneDNN was found"; exit 1; }
