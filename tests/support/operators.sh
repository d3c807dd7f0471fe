# SPDX-License-Identifier: Apache-2.0
# To be sourced. operators_of LIBOPAPI: the operators that the library carries out, sorted; those that are
# declared so that programs compile have symbols, too.
operators_of() {
  local headers
  headers=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../ops/include/aclnnop" && pwd)
  nm -D --defined-only "$1" | sed -n 's/.* \(aclnn.*\)GetWorkspaceSize$/\1/p' |
    grep -vxFf <(grep -ohE 'aclnn\w+' "$headers/aclnn_operators_unsupported.h") | sort -u
}
