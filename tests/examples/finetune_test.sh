#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: finetune_test.sh PROGRAM FOLDER DIGITS_CSV
# A network made on a few digits goes out as ONNX, comes in, gets a new head, and goes out again; that file is
# fine-tuned as well.
set -u
program=$1
digits=$3
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"
# shellcheck source=/dev/null
source "$(dirname "$0")/idx.sh"
mkdir data
idx train 1 400
idx t10k 1000 100

# right LABEL FILE: the percentage that a line of the program has.
right() { sed -n "s/.*$1[^0-9]*\([0-9.]*\) % right.*/\1/p" "$2"; }

training=("$program" --data data --first-data data --batch 20 --epochs 3)
train first
left first made_here.onnx finetuned.onnx
grep -Eq '288 features, 10 classes; [0-9]+ of [0-9]+ parameters are trained' first.txt || fail "$(cat first.txt)"
after=$(right after: first.txt)
awk -v after="$after" -v before="$(right before: first.txt)" 'BEGIN { exit !(after > 60 && after > before + 20) }' ||
  fail "it learns nothing: $(cat first.txt)"
grep -q "finetuned.onnx: $after % right when it is read back" first.txt || fail "$(cat first.txt)"
# What was fine-tuned is a model as any other.
train second --model first/finetuned.onnx --layers 0
grep -q "; 2890 of" second.txt || fail "more than a head is trained: $(cat second.txt)"
awk -v after="$(right after: second.txt)" 'BEGIN { exit !(after > 60) }' || fail "$(cat second.txt)"

refused "nowhere.onnx" --model nowhere.onnx --data data
((failures == 0))
