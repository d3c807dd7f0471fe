#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tool_test.sh TOOL LIBRARY WRONG_LIBRARY NARROW_LIBRARY PAGE_LIBRARY CARELESS HANGING LINKED WRONG_RESULTS: the tool's
# exit statuses and what it reports. Behind the page's library are one without care for pointers, in float, one that
# hangs, and one that is linked with all operators; the last is wrong where there is no gradient.
set -u
tool=$1 library=$2 wrong=$3 narrow=$4 of_page=$5 careless=$6 hanging=$7 linked=$8 wrong_results=$9
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect STATUS TEXT... -- ARGUMENTS...: the tool's exit status and texts that its output must have.
expect() {
  local status=$1 texts=() text
  shift
  while [[ $1 != -- ]]; do
    texts+=("$1")
    shift
  done
  shift
  local output actual
  output=$("$tool" "$@" 2>&1)
  actual=$?
  if ((actual != status)); then
    printf 'aclgrad-gradcheck %s: exit status %d instead of %d\n%s\n' "$*" "$actual" "$status" "$output"
    failures=1
  fi
  for text in "${texts[@]}"; do
    if [[ $output != *"$text"* ]]; then
      printf 'aclgrad-gradcheck %s: does not say "%s"\n%s\n' "$*" "$text" "$output"
      failures=1
    fi
  done
}

# Our own library as a foreign one: a copy under another name, loaded from another folder.
cp "$library" "$folder/libforeign.so"
known=628
# Comparisons, optimizers, what is taken and put by numbers, ...: a library has no gradient of theirs.
results_only=425
# One dtype and layout do: tests/mutants let gradcheck loose on these operators at random ones.
expect 0 "gradcheck: right" "libforeign.so" "$known of 639 two-phase operators" \
  "$results_only have no gradient function, so only their results are checked" \
  -- --library "$folder/libforeign.so" --all --dtype float32 --layout strided --quiet
expect 0 "aclnnHardswishBackward takes 1.5 at 3; slopes are 1.5 and 1" -- --op hardswish --dtype f32
expect 0 "right" -- --op elu --alpha 1.3 --dtype bf16 --shape 4x6 --layout transposed
expect 0 "right" -- --op selu --shape 0d --dtype fp16
expect 0 "right" -- --op log_softmax --layout broadcast --shape 5
expect 0 "right" -- --op matmul --shape 2x1x4x3 --other 3x3x5
expect 3 "the size along dim must be even, it is 3" -- --op geglu_v3 --shape 4x3
expect 3 "dim 2 is not one of a tensor of rank 2" -- --op geglu --dim 2 --shape 4x6
expect 0 "right" -- --op mean --dims=0,-1 --keep-dims --into float32

expect 0 "saved tensors other than the forward's (gelu): aclnnGeGluV3Backward" \
  -- --op geglu_v3 --dtype f32 --no-status
expect 0 "no gradient for target (int64): aclnnNLLLossBackward" "0 gradients vacuous" \
  -- --op nll_loss --dtype f32 --no-status
expect 5 "gradcheck: VACUOUS" "3 gradients vacuous" "48 of 48 elements" \
  -- --op dropout --prob 1 --no-status

# The wrong one: every mistake is named, what is right stays right.
expect 1 "takes 1.6733 at" "where the right slope is documented" \
  "dual numbers confirm the numeric derivative" \
  "reproduce: aclgrad-gradcheck --op selu --library $wrong" \
  -- --library "$wrong" --op selu --no-status --dtype float32 --layout contiguous
expect 1 "(corner)" "where the right slope is documented" \
  -- --library "$wrong" --op hardswish --dtype float32 --layout contiguous --seed 3
expect 1 "aclnnGeluBackward" -- --library "$wrong" --op gelu --dtype float32
expect 1 "(forward)" -- --library "$wrong" --op elu --alpha 1.25 --scale 0.75 --dtype float16
expect 1 "null target: returns 161002, documented is 161001" -- --library "$wrong" --op mse_loss
# The gradient of a difference is made of the library's own products, whose sign is lost.
expect 1 "aclnnSub alpha=1" "gradient of other are not the derivative" "the sign is reversed" \
  -- --library "$wrong" --op sub --dtype float32 --layout contiguous
expect 1 "all tensors of bfloat16 on Ascend310P: returns 0, documented is 161002" \
  "a null executor: returns 0, documented is 161001" \
  -- --library "$wrong" --op hardswish_v2
expect 0 "8 of 9 two-phase operators" "not checked: aclnnUnheardOf" \
  -- --library "$wrong" --op gelu_v2
expect 0 "right" -- --library "$wrong" --op gelu_v2,geglu_v3,log_softmax,nll_loss

# Operators without a gradient: values, the sign of an infinity, statuses, what is overwritten.
not_the_formula="its value is not that of the formula"
of_float=(--dtype float32 --layout contiguous)
expect 1 "aclnnLogicalAnd" "$not_the_formula" -- --library "$wrong_results" --op logical_and --dtype int8 --no-status
expect 1 "aclnnIsInf" "at -inf: 0 instead of 1" -- --library "$wrong_results" --op is_inf --check inputs --dtype fp16
expect 1 "null out: returns 161002, documented is 161001" -- --library "$wrong_results" --op bitwise_not --dtype int32
expect 1 "aclnnInplaceFloor" "of selfRef" "$not_the_formula" -- --library "$wrong_results" --op floor --dtype float32
expect 1 "of out[0]" "$not_the_formula" -- --library "$wrong_results" --op foreach_add_list_v2 "${of_float[@]}"
expect 1 "of scaledGrads[0]" "$not_the_formula" \
  -- --library "$wrong_results" --op foreach_non_finite_check_and_unscale "${of_float[@]}"
expect 1 "aclnnSort dim=1 descending=true" "$not_the_formula" \
  -- --library "$wrong_results" --op sort --dim 1 --descending "${of_float[@]}"

# Every input, and the same bits.
expect 0 "gradcheck: right" "over 131072 inputs: " "0 wrong at infinities" \
  -- --op selu,silu,matmul --check inputs,bits --dtype f32,bf16
expect 1 "(every input)" "results are beyond the bound" \
  "--library $wrong --check inputs --dtype bfloat16" \
  -- --library "$wrong" --op gelu --check inputs --dtype bf16
expect 1 "(length)" "the vector body and the remainder" \
  -- --library "$wrong" --op tanh --check bits --dtype f32

# What a library does not take is left out, not wrong.
expect 0 "gradcheck: right" "float16 was left out" "not taken: strided tensors: silu" \
  "2 of 2 two-phase operators" \
  -- --library "$of_page" --op silu --check values,bits --dtype f32,fp16 --ulp-slack 32
# The library of the page is right under all checks; of all operators, its two are listed and no other.
expect 0 "gradcheck: right" "not taken: float16 tensors: silu" "checked for self of aclnnSilu from -20 to 20, not outside" \
  "2 of 2 two-phase operators" "libpage_library.so; not in it: " \
  -- --library "$of_page" --all --check values,inputs,bits,statuses
listed=$("$tool" --library "$of_page" --all | grep -c ' checks  ')
unlisted=$("$tool" --library "$of_page" --all | grep -c 'not in the library')
[[ $listed == 1 && $unlisted -lt 3 ]] || { echo "--all lists $listed lines, and $unlisted that are missing"; failures=1; }
# Linked with a library of operators, --all checks its own alone; by name those are found, too.
listed=$("$tool" --library "$linked" --all --check bits --dtype float32 --layout contiguous | grep -c ' checks  ')
[[ $listed == 1 ]] || { echo "--all lists $listed lines of a library with one operator"; failures=1; }
expect 0 "2 of 2 two-phase operators" "other operators are found, too: libopapi" \
  -- --library "$linked" --all --check values --dtype float32 --layout contiguous
expect 0 "gradcheck: right" -- --library "$linked" --op tanh --check values --dtype float32 --layout contiguous
# What is asked for by name and is not there is not right.
expect 2 "gradcheck: INCONCLUSIVE" "nothing was checked: not in the library: aclnnGelu" \
  -- --library "$of_page" --op silu,gelu --dtype float32
expect 4 "gradcheck: INCONCLUSIVE" "lacks functions of each of the operators" -- --library "$of_page" --op gelu
# It crashes where pointers are null: that is said, and what comes behind it is checked all the same.
expect 1 "a null workspaceSize: crashed (Segmentation fault)" "1159 elements" "it took" \
  -- --library "$careless" --op silu --dtype float32
# A right gradient that computes in float32 is inexact, and the slack that is named is enough.
expect 6 "gradcheck: INEXACT" "--ulp-slack 13 (Options::ulp_slack) allows for all of it" \
  -- --library "$careless" --op silu --dtype float32 --check values
expect 0 "gradcheck: right" \
  -- --library "$careless" --op silu --dtype float32 --check values --ulp-slack 13
expect 1 "37 results are beyond the bound" -- --library "$careless" --op silu --check inputs
# A call that does not return is ended and named, and so is a library that cannot be opened for hanging.
expect 1 "did not return within 0.5 s (--time-limit)" "aclnnSilu" "it took" \
  -- --library "$hanging" --op silu --dtype float32 --check values --time-limit 0.5
expect 3 "--time-limit" -- --op silu --time-limit 0

# Known findings do not count again.
expect 1 "WRONG" -- --library "$wrong" --op gelu,tanh --check inputs,bits --dtype bf16 \
  --json "$folder/known.json" --markdown "$folder/known.md"
expect 0 "gradcheck: right" "are in the baseline; 0 of its kinds were not met again" \
  -- --library "$wrong" --op gelu,tanh --check inputs,bits --dtype bf16 --baseline "$folder/known.json"
expect 1 "WRONG  aclnnElu" -- --library "$wrong" --op elu,gelu --alpha 1.25 --check values,inputs \
  --dtype bf16 --baseline "$folder/known.json"
expect 4 "is no report of --json" -- --op selu --baseline "$tool"
grep -q '^| gelu | .* | wrong |$' "$folder/known.md" || { echo "the Markdown lacks gelu"; failures=1; }

# The command that a finding prints shows it again.
reproduced=0
while read -r finding; do
  read -ra command <<<"$finding"
  expect 1 "gradcheck: WRONG" -- "${command[@]}" --quiet
  reproduced=$((reproduced + 1))
done < <("$tool" --library "$wrong" --op selu,hardswish,hardswish_v2,gelu,elu,sub,muls,mse_loss \
  --alpha 1.25 --scale 0.75 --quiet | sed -n 's/.*reproduce: aclgrad-gradcheck //p' | sort -u)
((reproduced >= 7)) || { echo "only $reproduced commands to reproduce a finding"; failures=1; }

# Usage and libraries that cannot serve.
expect 0 "Exit status" "--library" -- --help
expect 0 "geglu_v3" "apply_adam_w" -- --list
expect 0 "aclgrad-gradcheck 0." -- --version
expect 3 "--dtype: no dtype is called 'f31'" -- --op selu --dtype f31
expect 3 "no check is called 'all'" -- --op selu --check all
expect 3 "--approximate: 2 is not a whole number from 0 to 1" -- --op gelu_v2 --approximate 2
expect 3 "--op NAME or --all" --
expect 3 "no operator is called 'unheard_of'" -- --op unheard_of
expect 3 "a shape is written as 4x6" -- --op selu --shape 4by6
expect 3 "no layout is called" -- --op selu --layout diagonal
expect 4 "cannot be opened" -- --op selu --library "$folder/none.so"
expect 4 "has no function aclInit, aclrtSetDevice, aclrtCreateStream" "aclCreateTensor" \
  -- --op selu --library libm.so.6

# A library with SELU and no more than that needs: no messages, scalars, arrays of integers.
expect 0 "gradcheck: right" -- --library "$narrow" --op selu --dtype float32
expect 0 "not in the library: aclnnInplaceSeluGetWorkspaceSize: selu" "gradcheck: right" \
  -- --library "$narrow" --op selu --dtype float32
expect 4 "not in the library: aclCreateScalar, aclnnElu," "aclnnEluGetWorkspaceSize" \
  -- --library "$narrow" --op elu
expect 4 "aclCreateIntArray" "aclGetDataType" -- --library "$narrow" --op reduce_sum
expect 0 "1 of" "not in it: " -- --library "$narrow" --all --dtype float32

# A check of nothing is wrong usage, as are options that nothing is made of.
expect 3 "elu takes float32, float16, bfloat16, float64, not int8" -- --op elu --dtype int8 --no-status
expect 3 "elu takes float32, float16, bfloat16, float64, not int8" -- --op elu --dtype int8
expect 3 "not complex64" -- --op selu,elu --dtype float32,complex64
expect 0 "right" -- --op selu,elu --dtype float32,bf16 --layout contiguous --no-status --shape 3
expect 3 "there is nothing to check" -- --op selu --check statuses --no-status
expect 2 "Nothing was checked" -- --op matmul --check inputs
expect 3 "--dim has no effect" "elu takes --alpha, --scale, --input-scale, --is-result" \
  -- --op elu --dim 3
expect 3 "--keep-dims has no effect" "selu takes none" -- --op selu --keep-dims
expect 3 "--alpha goes with --op" -- --all --alpha 2
expect 3 "not a finite number of 0 or more" -- --op selu --ulp-slack nan
expect 3 "not a finite number of 0 or more" -- --op selu --ulp-slack -1
expect 3 "not a finite number" -- --op elu --alpha inf
expect 3 "dim 5 is not one of a tensor of rank 3" -- --op reduce_sum --dims 5
expect 3 "name a dimension twice" -- --op mean --dims=0,-3
expect 3 "too large to be checked" -- --op selu --shape 999999999x999999999x999999999
expect 3 "the product of shape 4194304x4194304 is too large" \
  -- --op matmul --shape 4194304x1 --other 1x4194304

# Reports for machines and browsers.
expect 0 '"status": 0' '"operator": "selu"' '"max_ulp"' -- --op selu --json -
expect 0 "right" -- --op selu --json "$folder/report.json" --html "$folder/report.html"
grep -q '"checks"' "$folder/report.json" || { echo "the JSON report lacks checks"; failures=1; }
grep -q '<svg' "$folder/report.html" || { echo "the page has no picture"; failures=1; }
grep -qE '(src=|href="[^#])' "$folder/report.html" && { echo "the page needs other files"; failures=1; }
exit $failures
