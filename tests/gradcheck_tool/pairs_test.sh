#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pairs_test.sh TOOL FOLDER LLM LAYER LIBRARY VISION: pairs of functions by their headers alone, from libraries of
# several styles, are judged with at most two options each, and what they do that no function should is a finding.
set -uo pipefail
tool=$1 folder=$2
declare -A library=([llm]=$3 [layer]=$4 [library]=$5 [vision]=$6)
failures=0

# pair STATUS TEXT STYLE FORWARD BACKWARD [OPTION ...]: the exit status, and what stands in the output.
pair() {
  local expected=$1 text=$2 style=$3 forward=$4 backward=$5 status=0 output
  shift 5
  output=$("$tool" --header "$folder/${style}_style.h" --so "${so:-${library[$style]}}" --forward "$forward" \
    --backward "$backward" --time-limit 2 "$@" 2>&1) || status=$?
  if [[ $status != "$expected" || $output != *"$text"* ]]; then
    printf '%s %s: exit status %d and not %d, or no "%s" in\n%s\n' "$backward" "$*" "$status" "$expected" "$text" "$output"
    failures=$((failures + 1))
  fi
}
right() { pair 0 "gradcheck: right" "$@"; }
wrong() { pair 1 "are not the derivative" "$@"; }

right llm layernorm_forward layernorm_backward
wrong llm layernorm_forward layernorm_backward_wrong
right llm matmul_forward matmul_backward
wrong llm matmul_forward matmul_backward_wrong
right llm encoder_forward encoder_backward
right llm residual_forward residual_backward
right layer activate_array gradient_array
right layer activate_array gradient_array --set a=1
wrong layer activate_array gradient_array_wrong
right layer softmax backward_softmax
right layer add_bias backward_bias
right library swish_forward swish_backward
right library log_fwd log_bwd --range x=0.1:4
right library cube_fwd cube_bwd --role 'v=input parameter_0' --role 'grad=upstream parameter_1'
right library cube_fwd cube_bwd --set count=7 --set parameter_2=7 --role 'v=input parameter_0' \
  --role 'grad=upstream parameter_1'
right library distance distance_gradient
wrong library distance distance_gradient_wrong
right library scale_rows scale_rows_diff
right library scale_rows scale_rows_diff --set rows=3 --set ld=9
right library pool_forward pool_backward
right vision max_windows max_windows_backward
right vision sample sample_backward --set picture=4 --set width=4 --range places=0:3 \
  --role 'grad_picture=gradient picture added'
right vision dense dense_backward --header "$folder/vision_types.h"
right vision columns_of row_of
right vision smooth_relu smooth_relu_gradient
right vision bent bent_gradient --set n=4
# What is out of the ordinary.
pair 1 'goes up to element 6 of `bottom_diff`' library pool_forward pool_backward_beyond
pair 1 "did not return within 2 s" library pool_forward pool_backward_forever
pair 1 "crashed (Segmentation fault)" library pool_forward pool_backward_crash
# How it is read, and how that is corrected.
pair 0 "adds to what is there" llm residual_forward residual_backward
pair 0 "(2 gaps)" library scale_rows scale_rows_diff
pair 1 "are not the derivative" library distance distance_gradient --role 'da=gradient b' --role 'db=gradient a'
corrections=$(mktemp) header=$(mktemp)
trap 'rm -f "$corrections" "$header"' EXIT
printf '# the logarithm\nrange x 0.1 4\n\nset n 7\nrole y_grad upstream y\n' >"$corrections"
pair 0 "7 elements" library log_fwd log_bwd --corrections "$corrections"
pair 0 "upstream gradient of output, spoilt" vision dense dense_backward --header "$folder/vision_types.h"
pair 0 "how far depends on values: --set picture=COUNT" vision sample sample_backward --range places=0:8 --set width=9 \
  --set count=2 --role 'grad_picture=gradient picture added'
# What is not seen from outside is asked for.
pair 2 'undecided: as it is read here, this is wrong' library blend blend_back
pair 2 '--role u="gradient p" --role v="gradient q"' library blend blend_back
pair 0 "gradcheck: right" library blend blend_back --role 'u=gradient q' --role 'v=gradient p'
pair 1 "are not the derivative" library blend blend_back --role 'u=gradient p' --role 'v=gradient q'
pair 2 'tell me that it is meant so: --role grad_picture="gradient picture added"' vision sample sample_backward \
  --set picture=4 --set width=4 --range places=0:3
# What cannot be done.
pair 3 "give the header that declares the type, too" vision dense dense_backward
pair 3 "changes none of its arrays with the numbers below" vision max_windows max_windows_backward --set window=99
pair 3 "goes on beyond the 3 elements of \`x\`" library log_fwd log_bwd --set n=7 --set x=3
pair 3 "the header declares no function soft; it declares activate_array" layer soft backward_softmax
pair 3 "range z: neither function has a parameter of this name" library log_fwd log_bwd --range z=0:1
pair 3 "is none of: set NAME VALUE" library log_fwd log_bwd --set n
for number in -1 1e18 nan 1.5; do
  pair 3 "set" library log_fwd log_bwd --set "x=$number"
  pair 3 "set" library log_fwd log_bwd --set "n=$number"
done
for text in 'typedef;' 'typedef' 'typedef enum;' 'typedef x;' 'typedef float;' 'typedef int (*f)(int);' '"' '/*' '#\\' 'f(' '(('; do
  printf '%s' "$text" >"$header"
  pair 3 "the header declares no function log_fwd" layer log_fwd log_bwd --header "$header"
done
pair 3 "--header needs --forward, too" library "" log_bwd
pair 3 "a role of the forward is input, output or both" library log_fwd log_bwd --role x=number
pair 3 "without --op, --all, --json" library log_fwd log_bwd --all
so=$3 pair 4 "has no function log_fwd as C names it" library log_fwd log_bwd
exit $((failures > 0))
