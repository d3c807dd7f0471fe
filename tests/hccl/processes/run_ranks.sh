#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: run_ranks.sh MPIEXEC PROGRAM works|ends PROCESSES THREADS WHAT [LINE...]
# Starts PROGRAM in PROCESSES processes of THREADS ranks each. It must succeed (works), or fail in good
# time (ends); every LINE, a regular expression, must be in the output.
set -u
mpiexec=$1
program=$2
expectation=$3
processes=$4
threads=$5
what=$6
shift 6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

start=$SECONDS
bash "$(dirname "${BASH_SOURCE[0]}")/../../support/mpirun.sh" "$mpiexec" "$processes" "$program" \
  "$what" "$threads" "$work/root_info" >"$work/output" 2>&1
status=$?
seconds=$((SECONDS - start))
cat "$work/output"

fail() {
  echo "FAILED: $*"
  exit 1
}
if [[ $expectation == works ]]; then
  ((status == 0)) || fail "status $status"
  [[ $(grep -c '^rank [0-9]*: fine$' "$work/output") == $((processes * threads)) ]] ||
    fail "not every rank says that it is fine"
else
  ((status != 0)) || fail "it should have failed"
  ((seconds < 40)) || fail "it took $seconds s to end"
fi
for line in "$@"; do
  grep -qE "$line" "$work/output" || fail "no line like: $line"
done
