#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Arrows go down only: which #include may stand in which folder. Prints each line that breaks a rule.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
broken=0

# forbid FOLDERS PATTERN REASON [ALLOWED]: no source in FOLDERS may include what matches PATTERN, but for
# what matches ALLOWED.
forbid() {
  local found
  # shellcheck disable=SC2086  # FOLDERS is a list
  found=$(grep -rnE --include='*.h' --include='*.cpp' "^\s*#\s*include\s*[<\"]($2)" $1 |
    grep -vE "[<\"](${4:-^})") || return 0
  printf '%s\n  -> %s\n' "$found" "$3"
  broken=1
}

# one_way FOLDER: its folders do not include each other in a circle.
one_way() {
  local circles
  circles=$(grep -rHE --include='*.h' --include='*.cpp' "^\s*#\s*include\s*\"$1/" "$1" |
    sed -E 's,^([^:]*)/[^/:]*:[^"]*"(.*)/[^/"]*".*,\1 \2,' | awk '$1 != $2' | tsort 2>&1 >/dev/null |
    awk 'NR > 1 && /input contains/ { exit } { print }')
  [[ -n $circles ]] || return 0
  printf '%s\n  -> %s\n' "$circles" "folders of $1 include each other in a circle"
  broken=1
}

forbid "framework autograd distributed" '(\.\./)*ops/' \
  "above the C API boundary only the C headers acl/, aclnn/, aclnnop/, aclgrad_ext.h and aclgrad_common/ may be included"
forbid "ops" 'aclgrad/' "the operators know nothing of the framework"
forbid "framework" 'aclgrad/(aclgrad|backward|rule|gradcheck)\.h' \
  "the framework knows nothing of autograd"
forbid "$(echo framework/{tensor,graph,runtime,session,diagnostics,nn,optim,data,io,terminal} \
  autograd/{engine,rules,train,gradcheck,include/aclgrad/{trainer.h,fit.h,train}})" \
  'aclgrad/(report|run_report|viz)\.h|(report|page|run|viz)/' "what trains does not need the reports"
forbid "framework autograd" 'aclgrad/distributed|hccl/' "training on one rank knows nothing of others"
forbid "distributed" 'aclgrad/(aclgrad|backward|rule|gradcheck)\.h' \
  "what ranks exchange are tensors, wherever they come from"
forbid "framework autograd distributed" 'dnnl|oneapi/|hwy/|Eigen/|omp\.h' \
  "numerical libraries belong to the operators"
families='activation|arithmetic|attention|convolution|index|linalg|lists|loss|matmul|normalization|optimizer|ordering|pooling|random|recurrent|reduction|resampling|shape'
contracts=$(echo ops/contract ops/*/contract.cpp ops/*/*_contract.{h,cpp})
operators=$(printf 'ops/%s ' ${families//|/ })
forbid "ops/runtime" "ops/(meta|engine|hccl|$families)/" "the runtime knows nothing of operators"
forbid "ops/meta" "ops/(engine|hccl|$families)/" "tensors and checks know nothing of the operators"
forbid "ops/runtime ops/meta ops/engine ops/hccl $operators" 'ops/diagnostics/' \
  "diagnostics interpose through ops/runtime/call/hooks.h and ops/meta/hooks.h, and are named nowhere else"
forbid "$(echo ops/diagnostics/*.{h,cpp})" "ops/(meta|engine|hccl|$families)/" \
  "diagnostics of the runtime are a part of its library"
forbid "ops/diagnostics/calls" "ops/(engine|hccl|$families)/" \
  "diagnostics of calls know nothing of the operators"
forbid "ops/hccl" "ops/(runtime|meta|$families)/" \
  "communication uses the runtime through acl/ and aclgrad_ext.h, like any program"
forbid "ops/engine" "ops/(hccl|$families)/" "the engine knows nothing of the families that stand on it"
forbid "ops/engine/math" 'ops/' "formulas know neither dtypes nor the engine that runs them" 'ops/engine/math/'
forbid "$(echo ops/*/*_kernel*)" 'ops/[a-z]*/[a-z_]*_rules\.h' \
  "kernels know nothing of the operators that call them"
forbid "$contracts" 'ops/|aclgrad/' \
  "a contract says what an operator promises, and knows nothing of how it works" \
  'ops/contract/|ops/[a-z]+/[a-z_]+_contract\.h'
forbid "framework" 'aclgrad_contract/' "programs that train do not need the contracts"
forbid "ops/common" '(ops|framework|autograd|aclgrad|aclgrad_contract)/' \
  "what both sides of the boundary share stands on the C headers alone"
forbid "ops/include" 'ops/' "public C headers must stand alone"
one_way ops/runtime
exit $broken
