#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: train_digits_test.sh PROGRAM FOLDER
# The digit classifier: what it writes, that it learns, that its bits do not depend on threads, and what
# it says to bad options and files.
set -u
program=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# Two short runs of every activation, with 1 and 2 threads.
for threads in 1 2; do
  "$program" --epochs 8 --threads $threads --out run$threads >run$threads.txt 2>progress$threads.txt ||
    fail "exit status $? with $threads threads"
done
cat run1.txt
for activation in selu elu hardswish geglu; do
  for file in confusion_$activation.svg mistakes_$activation.svg graph_$activation.dot \
    weights_$activation.safetensors; do
    [[ -s run1/$file ]] || fail "$file is missing"
  done
  cmp run1/weights_$activation.safetensors run2/weights_$activation.safetensors ||
    fail "the weights of $activation depend on the number of threads"
  accuracy=$(awk -v name=$activation '$1 == name {sub("%", "", $NF); print $NF}' run1.txt)
  awk -v accuracy="$accuracy" 'BEGIN {exit !(accuracy >= 94)}' ||
    fail "$activation reaches only $accuracy % in 8 epochs"
done
for file in loss.svg accuracy.svg; do
  grep -q '</svg>' run1/$file || fail "$file is no complete picture"
done
grep -q aclnnGeGluV3Backward run1/graph_geglu.dot || fail "the graph does not show the backward"

# refused WORDS ARGUMENT...: exit status 2 and one line that holds the words.
refused() {
  local words=$1 output status
  shift
  output=$("$program" "$@" 2>&1)
  status=$?
  ((status == 2)) || fail "exit status $status for: $*"
  (($(wc -l <<<"$output") == 1)) || fail "more than one line for: $*: $output"
  [[ $output == *"$words"* ]] || fail "'$words' is not in: $output"
}
refused "--activation" --activation relu
refused "--epochs" --epochs 0
refused "--epochs" --epochs many
refused "--what" --what
refused "--lr: nan is not a number above 0" --lr nan
refused "--lr: 0 is not a number above 0" --lr 0
refused "--seed: -1 is negative" --seed -1
refused "missing.csv" --data missing.csv
printf '1,2,3\n' >narrow.csv
refused "narrow.csv" --data narrow.csv
printf '1,x,3\n' >word.csv
refused "word.csv" --data word.csv
head -n 1 "$(dirname "$0")/../../examples/data/digits.csv" | sed 's/^0/17/' >ink.csv
refused "pixel 0 is 17" --data ink.csv
head -n 20 "$(dirname "$0")/../../examples/data/digits.csv" >few.csv
refused "fewer than a batch" --data few.csv
touch plain_file
refused "plain_file" --out plain_file/below --epochs 1
"$program" --activation elu --epochs 1 --lr 1e30 --out wild >wild.txt 2>&1
[[ $? == 1 ]] && grep -q "smaller --lr" wild.txt || fail "a diverging run ends without a word"
"$program" --help | grep -q -- --activation || fail "--help does not explain the options"
((failures == 0))
