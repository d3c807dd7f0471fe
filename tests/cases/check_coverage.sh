#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_coverage.sh LIBOPAPI CASE_TABLE
# Every operator in the library must have rows in the case table.
set -u
source "$(dirname "${BASH_SOURCE[0]}")/../support/operators.sh"
exported=$(operators_of "$1")
covered=$("$2" --operators | sort -u)
missing=$(comm -23 <(echo "$exported") <(echo "$covered"))
if [[ -z $exported || -n $missing ]]; then
  printf 'operators without rows in tests/cases:\n%s\n' "$missing"
  exit 1
fi
echo "$(wc -l <<<"$exported") operators, all with rows"
