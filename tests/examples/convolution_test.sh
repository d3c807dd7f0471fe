#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: convolution_test.sh PROGRAM FOLDER DIGITS_CSV
# A few steps on digits in the format of MNIST: files, the same bits for a run that was stopped and goes on;
# and what it says where the files are not.
set -u
program=$1
digits=$3
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
# shellcheck source=/dev/null
source "$(dirname "$0")/idx.sh"
begin_in "$2"
mkdir data
idx train 1 256
idx t10k 1000 40

training=("$program" --data data --epochs 2)
train whole
for activation in elu relu; do
  left whole report_$activation.html weights_$activation.safetensors filters_$activation.svg
  grep -Eq "^$activation +87850 +2 .* [0-9.]+%$" whole.txt || fail "no table: $(cat whole.txt)"
  [[ $(grep -o '<g[ >]' whole/filters_$activation.svg | wc -l) == 32 ]] || fail "there are not 32 kernels"
done
grep -q '>relu<' whole/accuracy.svg || fail "no curve in accuracy.svg"
cmp -s whole/weights_{elu,relu}.safetensors && fail "the activations make no difference"

train parts --activation elu --stop-after 1 --threads 1
cmp -s {whole,parts}/weights_elu.safetensors && fail "it did not stop after an epoch"
train parts --activation elu --resume --threads 1
cmp -s {whole,parts}/weights_elu.safetensors || fail "a run that was stopped and goes on has other weights"

train bf16 --activation elu --dtype bf16 --stop-after 1
left bf16 weights_elu.safetensors

# Batch normalization is over a rank's part of a batch: two ranks take the steps of one that cuts batches
# into two parts, and come close to one that does not.
losses() {
  awk '$1 ~ /^[0-9]+$/ { print $2 }' "$1.txt"
}
few=(--activation elu --stop-after 1 --threads 1)
train parts1 "${few[@]}" --micro-batches 2
train parts2 "${few[@]}" --micro-batches 2 --ranks 2
train zero "${few[@]}" --ranks 2 --zero
train fp16 "${few[@]}" --dtype fp16
[[ -n $(losses parts1) && $(losses parts2) == "$(losses parts1)" && $(losses zero) == "$(losses parts1)" ]] ||
  fail "two ranks do not train as one in two parts: $(cat parts1.txt parts2.txt zero.txt)"
awk -v one="$(losses fp16)" -v two="$(losses parts2)" 'BEGIN { exit !(one > 1 && (one - two) ^ 2 < 0.0025) }' ||
  fail "two ranks are far from one: $(cat fp16.txt parts2.txt)"

refused "nowhere/train-images-idx3-ubyte" --data nowhere
refused "./dev convolution" --data nowhere # where to get them
refused "tanh" --activation tanh
((failures == 0))
