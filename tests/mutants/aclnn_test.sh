#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# aclnn_test.sh TOOL LIBRARY: the tool finds mutants behind the names of the C interface, and leaves alone what is
# right.
set -u
tool=$1 library=$2
failures=0

# verdict STATUS MUTANT OPTION...
verdict() {
  local status=$1 mutant=$2 output actual
  shift 2
  output=$(ACLGRAD_MUTANT=$mutant "$tool" --library "$library" --check values \
    --dtype float32,float16,bfloat16 --quiet "$@" 2>&1)
  actual=$?
  ((actual == status)) && return
  printf '%s: exit status %d instead of %d\n%s\n' "$mutant" "$actual" "$status" "$output"
  failures=1
}
verdict 0 'hardswish v2: unchanged' --op hardswish_v2
verdict 0 'elu: unchanged' --op elu --alpha 1.25 --scale 0.75 --input-scale 1.5
verdict 1 'elu: alpha missing' --op elu --alpha 1.25 --scale 0.75 --input-scale 1.5
verdict 0 'selu: sign reversed' --op elu
verdict 1 'selu: sign reversed' --op selu
verdict 1 'behaviour: output strides ignored' --op hardswish_v2
verdict 1 'behaviour: workspace read before it is written' --op hardswish_v2
verdict 1 'behaviour: other bits with more threads' --op hardswish_v2
verdict 1 'geglu right, erf: gelu recomputed' --op geglu_v3 --dim 1 --approximate 0
verdict 1 'rms norm: rstd recomputed' --op rms_norm --epsilon 0.001
# The library ends the process that calls it, which is a finding.
verdict 1 'selu: unheard of' --op selu
verdict 3 'selu: unheard of' --op selu --in-process
exit $failures
