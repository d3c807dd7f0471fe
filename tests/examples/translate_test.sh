#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: translate_test.sh PROGRAM FOLDER
# A short training on dates: files, a loss that falls, the same bits for the same seed whatever the threads,
# ranks and interruptions, and an archive of NumPy.
set -u
program=$1
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"

training=("$program" --unseen 20)
same() {
  cmp -s "$1/weights_translator.safetensors" "$2/weights_translator.safetensors" || fail "$1 and $2 differ"
}
train whole --steps 8 --beams 3 "the first of may, two thousand"
left whole report_translator.html attention_translator.svg weights_translator.safetensors graph_translator.html
grep -Eq '^greedy +[0-9.]+$' whole.txt && grep -Eq '^3 beams +[0-9.]+$' whole.txt ||
  fail "no table: $(cat whole.txt)"
grep -Eq '^.{10}  the first of may, two thousand$' whole.txt || fail "no translation: $(cat whole.txt)"
awk '$1 == 1 { first = $3 } $1 == 8 { exit !($3 < first) } END { exit !first }' whole.txt ||
  fail "the loss does not fall: $(cat whole.txt)"
train again --steps 8 --threads 1 --beams 1
same whole again
kill_at parts/checkpoint_translator.safetensors "$program" --unseen 20 --out parts --steps 8
train parts --steps 8 --resume --beams 1
same whole parts
short=(--steps 2 --threads 1 --micro-batches 2 --beams 1)
train one "${short[@]}"
train two "${short[@]}" --ranks 2
same one two
"$program" --steps 1 --unseen 2 --export dates.npz >out.txt || fail "no archive: $(cat out.txt)"
[[ $(head -c 2 dates.npz) == PK ]] || fail "dates.npz is no archive"
refused "--mistakes" --mistakes 2 # more than letters
((failures == 0))
