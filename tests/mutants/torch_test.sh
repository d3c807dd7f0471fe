#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# torch_test.sh RUNNER SCRIPT LIBRARY: PyTorch's gradcheck finds what it can see, misses a NaN that is swallowed, and
# blames nothing that is right.
set -euo pipefail
runner=$1 script=$2 library=$3
status=0
mutants=('selu: sign reversed' 'selu: NaN swallowed' 'selu: unchanged')
output=$(bash "$runner" "$script" "$library" "${mutants[@]}" | cut -f 2-) || status=$?
((status != 77)) || { echo "$output"; exit 77; }
expected=$'\n1\t1\t1\n0\t0\t0\n0\t0\t0'
[[ $status == 0 && $output == *"float64"*"fast_mode=True"*"$expected" ]] ||
  { printf 'exit status %d; expected\n%s\n instead of\n%s\n' "$status" "$expected" "$output"; exit 1; }
