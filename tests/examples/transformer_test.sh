#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: transformer_test.sh PROGRAM FOLDER TEXT
# A few steps on a short text: files, the same bits for the same seed whatever the threads and
# interruptions, and what it says about files that are not there.
set -u
program=$1
text=$3
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"

# train FOLDER OPTIONS...
train() {
  local out=$1
  shift
  "$program" --data "$text" --letters 40 --out "$out" "$@" >"$out.txt" 2>"$out.errors" ||
    fail "status $?: $(cat "$out.errors")"
}
train whole --steps 8 --activation geglu relu --prompt "The sun"
for file in report_geglu.html attention_geglu.svg text_geglu.txt weights_geglu.safetensors \
  weights_relu.safetensors checkpoint_geglu; do
  [[ -s whole/$file ]] || fail "there is no $file"
done
grep -q '^The sun' whole/text_geglu.txt || fail "the paragraph does not begin with the prompt"
[[ $(wc -m <whole/text_geglu.txt) == 48 ]] || fail "the paragraph has another length"
grep -Eq '^relu +[0-9.]+$' whole.txt || fail "no table: $(cat whole.txt)"
loss=$(awk '$1 == 8 { print $3; exit }' whole.txt)
awk -v loss="$loss" 'BEGIN { exit !(loss > 1 && loss < 4.2) }' || fail "validation loss $loss after 8 steps"

same() {
  cmp -s "$1/weights_geglu.safetensors" "$2/weights_geglu.safetensors" || fail "$1 and $2 differ"
}
train again --steps 8 --threads 1
same whole again
train bf16 --steps 2 --dtype bf16
cmp -s whole/weights_geglu.safetensors bf16/weights_geglu.safetensors && fail "bf16 changes nothing"
# Resumed where it was interrupted.
"$program" --data "$text" --letters 0 --out parts --steps 8 >/dev/null 2>&1 &
pid=$!
for _ in {1..200}; do
  [[ ! -e parts/checkpoint_geglu ]] || break
  sleep 0.05
done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
train parts --steps 8 --resume
same whole parts

"$program" --data nowhere.txt >out.txt 2>&1
[[ $? == 2 ]] || fail "a missing text is no error of the command line"
grep -q nowhere.txt out.txt || fail "$(cat out.txt)"
echo "too short" >short.txt
"$program" --data short.txt --out short >out.txt 2>&1
[[ $? == 2 ]] || fail "a short text is accepted"
grep -q "has 10 characters, too few" out.txt || fail "$(cat out.txt)"
((failures == 0))
