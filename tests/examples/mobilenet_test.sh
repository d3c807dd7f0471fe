#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: mobilenet_test.sh PROGRAM FOLDER DIGITS_CSV
# An epoch on a few digits in the format of Fashion-MNIST: files, the same bits for the same seed whatever the
# threads, a run that goes on from a checkpoint; and what it says where the files are not.
set -u
program=$1
digits=$3
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"
# shellcheck source=/dev/null
source "$(dirname "$0")/idx.sh"
mkdir data
idx train 1 96
idx t10k 1000 50

training=("$program" --data data --batch 32 --epochs 2)
train whole
left whole report_relu.html weights_hardswish.safetensors accuracy.svg model_relu.txt
grep -Eq '^relu +65[0-9]+ +2 .* [0-9.]+%$' whole.txt || fail "no table: $(cat whole.txt)"
grep -q 'bottlenecks.3.depthwise.conv' whole/model_hardswish.txt || fail "$(cat whole/model_hardswish.txt)"
train single --threads 1 --activation hardswish
cmp -s {whole,single}/weights_hardswish.safetensors || fail "threads change the weights"
cp -r whole again
rm again/weights_hardswish.safetensors
train again --resume --activation hardswish
cmp -s {whole,again}/weights_hardswish.safetensors || fail "a finished run that is resumed has other weights"
# 16 bits, and ranks that share the optimizer's state.
for dtype in fp32 bf16 fp16; do
  train $dtype --activation hardswish --ranks 2 --zero --dtype $dtype
  loss=$(awk '$1 == 6 { print $2 }' $dtype.txt)
  awk -v loss="$loss" 'BEGIN { exit !(loss > 1.5 && loss < 2.6) }' || fail "$dtype: $(cat $dtype.txt)"
done
cmp -s {fp32,bf16}/weights_hardswish.safetensors && fail "bf16 changes nothing"

refused "nowhere/train-images-idx3-ubyte" --data nowhere
((failures == 0))
