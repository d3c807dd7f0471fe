#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: self_normalizing_test.sh PROGRAM FOLDER
# Deep networks without normalization: those with SELU learn, those with ReLU do not; and what the
# program says where MNIST is not.
set -u
program=$1
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"

"$program" --only-deep --out deep >out.txt 2>errors.txt || fail "status $?: $(cat errors.txt)"
read -r _ selu relu < <(grep -E '^ +32 ' out.txt)
awk -v selu="$selu" -v relu="$relu" 'BEGIN { exit !(selu > 85 && relu < 20) }' ||
  fail "32 layers: $selu % with SELU, $relu % with ReLU"
left deep activations.svg report_selu_32_layers.html report_relu_8_layers.html
for activation in selu relu; do
  grep -q "$activation after" deep/activations.svg || fail "the picture lacks $activation"
done
for dtype in bf16 fp16; do
  "$program" --only-deep --deep-epochs 10 --dtype $dtype --out $dtype >out.txt 2>errors.txt || fail "status $?: $(cat errors.txt)"
  awk '$1 == 32 { learns = $2 > 80 && $3 < 20 } END { exit !learns }' out.txt || fail "$dtype: $(cat out.txt)"
done
cmp -s {bf16,fp16}/weights_selu_8_layers.safetensors && fail "all 16 bits are the same"

refused "nowhere/train-images-idx3-ubyte" --data nowhere --deep-epochs 1 --out nowhere-out
((failures == 0))
