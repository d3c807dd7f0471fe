#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: train_digits_test.sh PROGRAM FOLDER
# The digit classifier: what it writes, that it learns, that its bits do not depend on threads, and what
# it says to bad options and files.
set -u
program=$1
folder=$2
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$folder"

# Two short runs of every activation, with 1 and 2 threads.
for threads in 1 2; do
  "$program" --epochs 8 --threads $threads --out run$threads >run$threads.txt 2>progress$threads.txt ||
    fail "exit status $? with $threads threads"
done
cat run1.txt
for activation in selu elu hardswish geglu; do
  left run1 {confusion,mistakes}_$activation.svg graph_$activation.dot weights_$activation.safetensors
  cmp run1/weights_$activation.safetensors run2/weights_$activation.safetensors ||
    fail "the weights of $activation depend on the number of threads"
  accuracy=$(awk -v name=$activation '$1 == name {sub("%", "", $NF); print $NF}' run1.txt)
  awk -v accuracy="$accuracy" 'BEGIN {exit !(accuracy >= 94)}' ||
    fail "$activation reaches only $accuracy % in 8 epochs"
done
grep -q '>finished<' run1/report_geglu.html || fail "the report of a run is not finished"
grep -q 'href="report_elu.html"' run1/report.html || fail "the comparison does not lead to the runs"
for file in loss.svg accuracy.svg; do
  grep -q '</svg>' run1/$file || fail "$file is no complete picture"
done
grep -q aclnnGeGluV3Backward run1/graph_geglu.dot || fail "the graph does not show the backward"

# Killed in the middle and resumed, again and again, a run ends with the bits of one that was not; and a
# checkpoint does not fit a run with other settings.
common=(--activation selu --dtype fp16 --schedule cosine --threads 1)
"$program" "${common[@]}" --epochs 30 --out whole >/dev/null 2>&1 || fail "exit status $? of the uninterrupted run"
resumed=0
for attempt in {1..200}; do
  "$program" "${common[@]}" --epochs 30 --out parts --checkpoint-every 7 --resume >parts.txt 2>resumed.txt &
  process=$!
  if ((attempt <= 8)); then
    # A quick machine is done with such a run in a tenth of a second.
    until [[ -s parts/checkpoint_selu.safetensors ]] || ! kill -0 $process 2>/dev/null; do :; done
    sleep 0.00$attempt
    kill -9 $process 2>/dev/null
  fi
  wait $process 2>/dev/null && break
  [[ -s parts/checkpoint_selu.safetensors ]] && resumed=$((resumed + 1))
done
((resumed > 0)) || fail "no run was killed with a checkpoint at hand"
grep -q "goes on after step" resumed.txt || fail "the last run did not resume"
cmp whole/weights_selu.safetensors parts/weights_selu.safetensors ||
  fail "the weights depend on whether the run was killed"
grep -q "<dt>layers</dt><dd>64-128-128-10</dd>" parts/report_selu.html || fail "the report lacks a setting"
grep -q "<dt>resumed</dt>" parts/report_selu.html || fail "the report does not say that the run was resumed"
cmp whole/mistakes_selu.svg parts/mistakes_selu.svg || fail "the pictures differ"
refused "was made with network selu, dtype float16, seed 1, layers 64-128-128-10, epochs 30" \
  "${common[@]}" --out parts --resume --epochs 31
printf 'x' >parts/checkpoint_selu.safetensors
printf 'x' >parts/checkpoint_selu.safetensors.previous
refused "checkpoint_selu.safetensors.previous" "${common[@]}" --out parts --resume --epochs 30

# 16-bit activations are as good as 32-bit ones: within 0.5 points, on average over the activations and
# two splits (one digit of a split is 0.28 points).
accuracy_with() {
  local seed
  for seed in 1 2; do
    "$program" --dtype "$1" --seed $seed --out "$1" 2>/dev/null | tee "$1_$seed.txt"
    ((PIPESTATUS[0] == 0)) || echo "failed 0%"
  done | awk '/%$/ {sub("%", "", $NF); sum += $NF; ++count} END {print count == 8 ? sum / count : 0}'
}
float32=$(accuracy_with fp32)
# What ./dev demo shows: every activation learns the digits.
awk '/%$/ {sub("%", "", $NF); ++count; if ($NF < 98) low = 1} END {exit !(count == 4 && !low)}' fp32_1.txt ||
  fail "an activation stays below 98 %: $(cat fp32_1.txt)"
for dtype in bf16 fp16; do
  accuracy=$(accuracy_with $dtype)
  echo "$dtype: $accuracy %, fp32: $float32 %"
  awk -v a="$accuracy" -v b="$float32" 'BEGIN {exit !(b > 95 && a >= b - 0.5 && a <= b + 0.5)}' ||
    fail "$dtype reaches $accuracy %, fp32 $float32 %"
done

# In one line.
refused_at_once() {
  refused "$@"
  (($(wc -l <refused.txt) == 1)) || fail "more than one line for: ${*:2}: $(cat refused.txt)"
}
refused_at_once "--activation" --activation relu
refused_at_once "--epochs" --epochs 0
refused_at_once "--epochs" --epochs many
refused_at_once "--what" --what
refused_at_once "--dtype" --dtype int8
refused_at_once "--schedule" --schedule wild
refused_at_once "--dropout" --dropout 1
refused_at_once "--lr: nan is not a number above 0" --lr nan
refused_at_once "--lr: 0 is not a number above 0" --lr 0
for seed in -1 18446744073709551616 0x10 1.5 few; do
  refused_at_once "--seed: $seed is not a whole number from 0 to 18446744073709551615" --seed $seed
done
refused_at_once "missing.csv" --data missing.csv
printf '1,2,3\n' >narrow.csv
refused_at_once "narrow.csv" --data narrow.csv
printf '1,x,3\n' >word.csv
refused_at_once "word.csv" --data word.csv
head -n 1 "$(dirname "$0")/../../examples/data/digits.csv" | sed 's/^0/17/' >ink.csv
refused_at_once "pixel 0 is 17" --data ink.csv
head -n 20 "$(dirname "$0")/../../examples/data/digits.csv" >few.csv
refused_at_once "fewer than a batch" --data few.csv
touch plain_file
refused_at_once "plain_file" --out plain_file/below --epochs 1
"$program" --activation elu --epochs 1 --lr 1e30 --out wild >wild.txt 2>&1
[[ $? == 1 ]] && grep -q "smaller --lr" wild.txt || fail "a diverging run ends without a word"
grep -q '>failed<' wild/report_elu.html || fail "the report of a diverging run does not say so"
"$program" --help | grep -q -- --activation || fail "--help does not explain the options"
((failures == 0))
