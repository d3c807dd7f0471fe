#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: transformer_test.sh PROGRAM FOLDER TEXT
# A few steps on a short text: files, the same bits for the same seed whatever the threads, ranks and
# interruptions, and what it says about files that are not there.
set -u
program=$1
text=$3
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"

training=("$program" --data "$text" --letters 40)
train whole --steps 8 --activation geglu relu --prompt "The sun"
left whole report_geglu.html attention_geglu.svg text_geglu.txt weights_{geglu,relu}.safetensors checkpoint_geglu.safetensors
grep -q '^The sun' whole/text_geglu.txt || fail "the paragraph does not begin with the prompt"
[[ $(wc -m <whole/text_geglu.txt) == 48 ]] || fail "the paragraph has another length"
grep -Eq '^relu +[0-9.]+$' whole.txt || fail "no table: $(cat whole.txt)"
loss=$(awk '$1 == 8 { print $3; exit }' whole.txt)
awk -v loss="$loss" 'BEGIN { exit !(loss > 1 && loss < 4.2) }' || fail "validation loss $loss after 8 steps"

same() {
  cmp -s "$1/weights_geglu.safetensors" "$2/weights_geglu.safetensors" || fail "$1 and $2 differ"
}
train bf16 --steps 2 --dtype bf16
cmp -s whole/weights_geglu.safetensors bf16/weights_geglu.safetensors && fail "bf16 changes nothing"
training[4]=0 # letters to write: what follows is about weights
train again --steps 8 --threads 1
same whole again
# Resumed where it was interrupted.
kill_at parts/checkpoint_geglu.safetensors "$program" --data "$text" --letters 0 --out parts --steps 8
train parts --steps 8 --resume
same whole parts

# Several ranks come to the loss of one, with the same bits where the batch is cut into the same parts and no
# rank keeps only a share of the state: a norm of gradients that ranks share is added up in another order.
losses() {
  awk '$1 ~ /^[0-9]+$/ { print $2, $3 }' "$1.txt"
}
short=(--steps 2 --threads 1)
train parts1 "${short[@]}" --micro-batches 4
for ranks in 2 4; do
  train parts$ranks "${short[@]}" --micro-batches 4 --ranks $ranks
  same parts1 parts$ranks
done
[[ $(losses parts4) == "$(losses parts1)" ]] || fail "another history: $(cat parts4.txt)"
train zero "${short[@]}" --ranks 2 --zero
train zero16 "${short[@]}" --ranks 2 --zero --dtype fp16
train one16 "${short[@]}" --dtype fp16
close() {
  paste -d ' ' <(losses "$1") <(losses "$2") | awk -v most="$3" '
    { a = $1 - $3; b = $2 - $4; if (a * a > most * most || b * b > most * most) exit 1 }
    END { exit NR == 0 }' || fail "$1 and $2 have other losses: $(cat "$1.txt" "$2.txt")"
}
close parts1 zero 0.0002
close one16 zero16 0.002
train uneven "${short[@]}" --ranks 5  # 12 examples in parts of 3 and 2
close parts1 uneven 0.0002
close parts1 one16 0.01
if [[ -e $(dirname "$program")/../lib/libhccl_mpi.so ]] && command -v mpirun >/dev/null; then
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun --oversubscribe -n 2 "$program" --data "$text" \
    --letters 40 --out launched "${short[@]}" --micro-batches 4 --data-parallel >launched.txt 2>launched.errors ||
    fail "mpirun: $(cat launched.errors)"
  same parts1 launched
fi
refused "--data-parallel excludes --ranks" --data "$text" --ranks 2 --data-parallel --out both
refused "at least 2 ranks" --data "$text" --zero --out lone
refused nowhere.txt --data nowhere.txt
echo "too short" >short.txt
refused "has 10 characters, too few" --data short.txt --out short
((failures == 0))
