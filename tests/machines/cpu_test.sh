#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: cpu_test.sh MODEL BUILD
# Runs the tests of kernels, operators and runtime and a short training on an x86-64 processor that qemu emulates,
# such as Nehalem (SSE4, no AVX) or core2duo (older still). An instruction that the processor does not
# have ends a program; that the emulator does so is tried first.
set -euo pipefail
model=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
emulator=(qemu-x86_64 -cpu "$model")

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

cat >"$work/probe.c" <<'TEXT'
#include <stdio.h>
int main(void) {
  __builtin_cpu_init();
  printf("avx %d, avx2 %d, fma %d\n", __builtin_cpu_supports("avx") != 0,
         __builtin_cpu_supports("avx2") != 0, __builtin_cpu_supports("fma") != 0);
  fflush(stdout);
  __asm__ volatile("vxorps %ymm0, %ymm0, %ymm0");
  puts("ran an AVX instruction");
}
TEXT
"${CXX:-c++}" -x c "$work/probe.c" -o "$work/probe"
("${emulator[@]}" "$work/probe" >"$work/log" || true) 2>/dev/null
cat "$work/log"
if grep -q '^avx 0' "$work/log" && grep -q '^ran' "$work/log"; then
  fail "qemu runs AVX instructions on a $model, so that it shows nothing here"
fi

# test_in_parts PROGRAM: on all cores, each with a part of the tests.
test_in_parts() {
  local part parts failed=0 pids=() pid
  parts=$(nproc)
  for ((part = 0; part < parts; ++part)); do
    GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part "${emulator[@]}" "$build/bin/$1" \
      >"$work/$1.$part" 2>&1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do wait "$pid" || failed=1; done
  echo "$1: $(grep -h '^\[  PASSED' "$work/$1".* | awk '{s += $4} END {print s + 0}') tests passed"
  if ((failed)); then
    grep -hE -B 30 '^\[  FAILED' "$work/$1".* >&2 || tail -n 20 "$work/$1".* >&2
    fail "$1"
  fi
}

SECONDS=0
test_in_parts test_kernels
test_in_parts test_cases
test_in_parts test_runtime
"${emulator[@]}" "$build/bin/train_digits" --epochs 1 --out "$work/digits" >"$work/log" 2>&1 ||
  { tail -20 "$work/log" >&2; fail "train_digits"; }
tail -n 3 "$work/log"
echo "$model: all passed, $SECONDS s"
