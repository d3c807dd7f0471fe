#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: interrupted_test.sh MPIEXEC PROGRAM WHAT RANKS [LINE...]
# Training on RANKS processes to which WHAT happens (main.cpp): it must end in good time with every LINE,
# a regular expression, in the output, and leave a checkpoint from which it goes on with the bits of a
# run that nothing happened to.
set -u
mpiexec=$1
program=$2
what=$3
ranks=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  cat "$work/output"
  echo "FAILED: $*"
  exit 1
}
# train RANKS WHAT FOLDER
train() {
  bash "$(dirname "${BASH_SOURCE[0]}")/../../support/mpirun.sh" "$mpiexec" "$1" "$program" "$2" "$3" \
    >"$work/output" 2>&1
}

mkdir "$work/whole" "$work/interrupted"
"$program" nothing "$work/whole" >"$work/output" 2>&1 || fail "one rank: status $?"

start=$SECONDS
train "$ranks" "$what" "$work/interrupted" && fail "it should have failed"
((SECONDS - start < 40)) || fail "it took $((SECONDS - start)) s to end"
for line in "$@"; do
  grep -qE "$line" "$work/output" || fail "no line like: $line"
done
[[ ! -e $work/interrupted/weights ]] || fail "it was not interrupted on the way"

train "$ranks" nothing "$work/interrupted" || fail "going on: status $?"
grep -qE "rank 0: trained for 6 steps" "$work/output" || fail "it did not go on after step 6"
cmp "$work/whole/weights" "$work/interrupted/weights" || fail "it has other bits"
