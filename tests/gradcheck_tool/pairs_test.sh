#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pairs_test.sh TOOL FOLDER LLM LAYER LIBRARY VISION PLAIN: pairs of functions by their headers, from libraries of several
# styles. By the header alone no wrong one is right and no right one is wrong; where it is undecided, it asks for the
# lines that decide it, and with those it says what the pair is (pairs/score.txt). What no function should do is a finding.
set -uo pipefail
tool=$1 folder=$2
declare -A library=([llm]=$3 [layer]=$4 [library]=$5 [vision]=$6 [plain]=$7)
declare -A status_of=([right]=0 [wrong]=1 [undecided]=2)
failures=0

# pair STATUS TEXT STYLE FORWARD BACKWARD [OPTION ...]: the exit status, and what stands in the output.
pair() {
  local expected=$1 text=$2 style=$3 forward=$4 backward=$5 status=0
  shift 5
  local header=$folder/${style}_style.h
  [[ -e $header ]] || header=${header%h}c
  output=$("$tool" --header "$header" --so "${so:-${library[$style]}}" --forward "$forward" \
    --backward "$backward" --time-limit "${limit:-20}" "$@" 2>&1) || status=$?
  [[ $status == "$expected" && $output == *"$text"* ]] && return
  printf '%s %s: exit status %d and not %d, or no "%s" in\n%s\n' "$backward" "$*" "$status" "$expected" "$text" "$output"
  failures=$((failures + 1))
}

while read -r style forward backward truth before now lines; do
  [[ $style == '#' ]] && continue
  types=()
  [[ $style == vision ]] && types=(--header "$folder/vision_types.h")
  pair "${status_of[$now]}" "gradcheck: " "$style" "$forward" "$backward" "${types[@]}"
  if [[ $now != undecided ]]; then
    [[ $now == "$truth" ]] || pair "the truth" "" "$style" "$forward" "$backward"
    continue
  fi
  declare -a options="($lines)"
  [[ $output =~ tell\ me:.*"${options[0]} ${options[1]%%=*}=" ]] || pair 2 "${options[*]:0:2}" "$style" "$forward" "$backward" "${types[@]}"
  pair "${status_of[$truth]}" "gradcheck: " "$style" "$forward" "$backward" "${types[@]}" "${options[@]}"
done <"$folder/score.txt"

# What is out of the ordinary.
limit=2 pair 1 "did not return within 2 s" library pool_forward pool_backward_forever
pair 1 "crashed (Segmentation fault)" library pool_forward pool_backward_crash
pair 1 "crashed (Segmentation fault)" plain affine affine_backward_wrong --role 'dbias=gradient bias optional'
pair 0 "gradcheck: right" plain affine affine_backward --role 'dbias=gradient bias optional'
pair 1 "the forward wrote beside \`y\`: 8 bytes in front" plain halves_in_front_wrong squares_backward --set n=3 --set y=3
pair 2 "if it ends there: gradient 0 was written 1 bytes after its end" library pool_forward pool_backward_beyond
pair 2 '--role NAME="gradient x"' plain row_sums row_sums_backward
# What is said.
pair 1 "are not the derivative" library distance distance_gradient --role 'da=gradient b' --role 'db=gradient a'
pair 1 "are not the derivative" library blend blend_back --role 'u=gradient p' --role 'v=gradient q'
pair 1 "the gradient is not added to what is there" plain relu relu_backward --role 'dx=gradient x added'
pair 1 "the gradient is not added to what is there" plain steep steep_overwriting --role 'dx=gradient x added'
pair 0 "over the upstream one, of x" plain row_sums row_sums_backward --set columns=1
pair 0 "gradcheck: right" layer activate_array gradient_array --set a=1 --role 'delta=gradient x over x'
pair 0 "9 elements" library scale_rows scale_rows_diff --set rows=3 --set cols=3 --set ld=cols
said=$(mktemp) odd=$(mktemp)
trap 'rm -f "$said" "$odd"' EXIT
printf '# the logarithm\nrange x 0.1 4\n\nset n 7\nrole y_grad upstream y\n' >"$said"
pair 0 "7 elements" library log_fwd log_bwd --corrections "$said"
pair 2 "--set picture=" vision sample sample_backward --range places=0:8 --set width=9 --set count=2
# What cannot be done.
pair 3 "give the header that declares the type, too" vision dense dense_backward
pair 3 "changes none of its arrays" vision max_windows max_windows_backward --set window=99
pair 3 "goes on beyond 3 elements of \`x\`" library log_fwd log_bwd --set n=7 --set x=3
pair 3 "the header declares no function soft; it declares activate_array" layer soft backward_softmax
pair 3 "range z: neither function has a parameter of this name" library log_fwd log_bwd --range z=0:1
pair 3 "is none of: set NAME VALUE" library log_fwd log_bwd --set n
pair 3 "is none of: set NAME VALUE" library log_fwd log_bwd --range x=inf:inf
pair 3 "is none of: set NAME VALUE" library log_fwd log_bwd --range x=-inf:-inf
pair 3 "set backward.n: neither function" library log_fwd log_bwd --set backward.n=3
for number in -1 1e18 nan 1.5; do
  pair 3 "set" library log_fwd log_bwd --set "x=$number"
  pair 3 "set" library log_fwd log_bwd --set "n=$number"
done
pair 3 "it is made of itself" library scale_rows scale_rows_diff --set cols=ld --set ld=cols
for text in 'typedef;' 'typedef' 'typedef enum;' 'typedef x;' 'typedef float;' 'typedef int (*f)(int);' '"' '/*' '#\\' 'f(' '(('; do
  printf '%s' "$text" >"$odd"
  pair 3 "the header declares no function log_fwd" layer log_fwd log_bwd --header "$odd"
done
pair 3 "--header needs --forward, too" library "" log_bwd
pair 3 "a role of the forward is input, output or both" library log_fwd log_bwd --role x=number
pair 3 "of \`x\` (6 elements, const double*) does not fit over what arrives at \`y\` (2 elements, double*)" \
  plain row_sums row_sums_backward --role 'dy=gradient x over y'
pair 3 "what it returns is a float, and the arrays are double" plain rounded_length rounded_length_backward
pair 3 "behind the name there may be" library log_fwd log_bwd --role 'x_grad=gradient x consumed'
pair 3 "without --op, --all, --json" library log_fwd log_bwd --all
so=$3 pair 4 "has no function log_fwd as C names it" library log_fwd log_bwd
exit $((failures > 0))
