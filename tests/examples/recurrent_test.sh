#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: recurrent_test.sh PROGRAM FOLDER TEXT
# Adding in short sequences, and a few steps on a short text: files, the same bits for the same seed whatever
# the threads, the ranks and interruptions, and what it says about files that are not there.
set -u
program=$1
text=$3
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"

training=("$program" --data "$text" --letters 40 --length 10)
same() {
  cmp -s "$1/weights_$3.safetensors" "$2/weights_$3.safetensors" || fail "$1 and $2 differ ($3)"
}
train whole --steps 6 --adding-steps 2000 --enough 0.009 --prompt "The sun"
left whole report_{adding,gru}.html learning.svg weights_{adding,gru}.safetensors checkpoint_gru.safetensors \
  text_gru.txt graph_gru.html
error=$(sed -n 's/^length 10: mean squared error \([0-9.]*\) on 500 unseen.*/\1/p' whole.txt)
awk -v error="$error" 'BEGIN { exit !(error > 0 && error < 0.01) }' || fail "it does not add: $(cat whole.txt)"
[[ $(grep -c '^[0-9.]* for [0-9.]*$' whole.txt) == 3 ]] || fail "no examples: $(cat whole.txt)"
[[ $(wc -m <whole/text_gru.txt) == 48 ]] || fail "the paragraph has another length"
loss=$(awk '$1 == 6 { print $3; exit }' whole.txt)
awk -v loss="$loss" 'BEGIN { exit !(loss > 1 && loss < 4.2) }' || fail "validation loss $loss after 6 steps"

training[4]=0 # letters to write: what follows is about weights
train again --steps 6 --adding-steps 2000 --enough 0.009 --threads 1
same whole again adding
same whole again gru
# Stopped by a target or a kill, and resumed.
train parts --task adding --adding-steps 2000 --enough 0.1 --threads 1
cmp -s {whole,parts}/weights_adding.safetensors && fail "0.1 is as good as 0.009"
train parts --task adding --adding-steps 2000 --enough 0.009 --resume
same whole parts adding
kill_at parts/checkpoint_gru.safetensors "$program" --data "$text" --task characters --letters 0 --out parts --steps 6
train parts --task characters --steps 6 --resume
same whole parts gru
short=(--task characters --steps 2 --threads 1 --micro-batches 2)
train one "${short[@]}"
train two "${short[@]}" --ranks 2
same one two gru
train bf16 --task characters --steps 2 --dtype bf16
cmp -s {one,bf16}/weights_gru.safetensors && fail "bf16 changes nothing"

refused nowhere.txt --data nowhere.txt
((failures == 0))
