#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: train_digits_faults_test.sh PROGRAM FORGE FOLDER
# What the program does with checkpoints that are forged or cannot be looked up, files larger than the
# memory, a full standard output, and other trainings in its folder.
set -u
program=$1
forge=$2
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$3"
few=(--activation elu --epochs 2 --batch 512 --threads 1)

# ends STATUS WORDS COMMAND...: within a minute, with the status and the words.
ends() {
  local status=$1 words=$2 got
  shift 2
  timeout 60 "$@" >output.txt 2>&1
  got=$?
  ((got == status)) || fail "status $got instead of $status: $*: $(cat output.txt)"
  grep -qF -- "$words" output.txt || fail "'$words' is not in: $(cat output.txt)"
}

# Two batches an epoch, so 4 steps. The checkpoint is of step 3: batch 1 of epoch 1.
checkpoint=run/checkpoint_elu.safetensors
ends 0 "" "$program" "${few[@]}" --out run --checkpoint-every 3
cp $checkpoint sound
for place in "3 1 2" "3 1 9223372036854775807" "3 0 1" "4 1 1" "9223372036854775807 1 1" \
  "9223372036854775807 4611686018427387903 1" "5 2 1" "1 0 1" "3 18446744073709551615 1"; do
  rm -f run/checkpoint*
  cp sound $checkpoint
  # shellcheck disable=SC2086  # PLACE is a list
  "$forge" $checkpoint $place || fail "forge_checkpoint fails for $place"
  if [[ $place == *" 1 2" || $place == *" 1 9223372036854775807" ]]; then
    ends 2 "but an epoch has 2" "$program" "${few[@]}" --out run --resume
  else
    ends 2 "are not of one place" "$program" "${few[@]}" --out run --resume
  fi
done
rm -f run/checkpoint*
cp sound $checkpoint
ends 0 "goes on after step 3 of 4" "$program" "${few[@]}" --out run --resume

# A name that leads nowhere is no run that has yet to begin.
rm -f run/checkpoint*
ln -s checkpoint_elu.safetensors $checkpoint
ends 2 "Too many levels of symbolic links" "$program" "${few[@]}" --out run --resume --checkpoint-every 1
[[ -L $checkpoint ]] || fail "what is in the checkpoint's place was written over"

# Larger than the memory that it may have.
truncate -s 39G huge.csv
(
  ulimit -v 8000000
  ends 2 "huge.csv: cannot read: its 41875931136 bytes do not fit into memory" "$program" --data huge.csv
  ((failures == 0))
) || failures=1

# What is printed is lost.
if [[ -c /dev/full ]]; then
  full() { "$@" 2>&1 >/dev/full; }
  export -f full
  for options in "--help" "--activation elu --epochs 1 --out full"; do
    # shellcheck disable=SC2086  # OPTIONS is a list
    ends 2 "standard output: cannot write: No space left on device" \
      bash -c 'full "$@"' full "$program" $options
  done
fi

# Killed runs leave nothing that the next one does not remove, and runs in one folder at the same time
# leave each other's files alone.
shared=(--activation elu --batch 512 --threads 1 --out shared)
for attempt in {1..6}; do
  "$program" "${shared[@]}" --epochs 200 --checkpoint-every 1 >/dev/null 2>&1 &
  process=$!
  # Once a run has written its first page, it writes something all the time.
  for _ in {1..600}; do
    [[ ! -e shared/report_elu.html ]] || break
    sleep 0.1
  done
  sleep 0.$((attempt + 2))
  kill -9 $process 2>/dev/null
  wait $process 2>/dev/null
done
[[ -e shared/report_elu.html ]] || fail "no run was killed on its way"
touch shared/{report_elu.html,loss.svg,weights_elu.safetensors,checkpoint_elu.safetensors}.tmp-1-0
runs=()
for run in 1 2 3; do
  "$program" "${shared[@]}" --epochs 10 --checkpoint-every 1 >shared$run.txt 2>&1 &
  runs+=($!)
done
for run in 1 2 3; do
  wait "${runs[run - 1]}" || fail "status $? of a run beside others: $(cat shared$run.txt)"
done
leftovers=$(find shared -name '*.tmp-*')
[[ -z $leftovers ]] || fail "left behind: $leftovers"
((failures == 0))
