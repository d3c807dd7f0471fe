#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# torch_test.sh RUNNER SCRIPT LIBRARY: PyTorch's gradcheck finds a wrong sign, needs to be told the number of uses
# beyond four, misses what lies over its upstream gradient, and blames one right function of two that are known for
# false alarms.
set -euo pipefail
runner=$1 script=$2 library=$3
status=0
output=$(bash "$runner" "$script" "$library" 0 34 101 127 129) || status=$?
((status != 77)) || { echo "$output"; exit 77; }
expected=$'0\t0011\t0011\n34\t0001\t0001\n101\t0000\t0000\n127\t00\t00\n129\t11\t11'
[[ $status == 0 && $output == *"fast_mode=True"*"$expected" ]] ||
  { printf 'exit status %d; expected\n%s\n instead of\n%s\n' "$status" "$expected" "$output"; exit 1; }
