#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: check_symbols.sh HEADERS LIBRARY...
# Every symbol that a library defines for others must be a C function declared in the public headers,
# and every function declared there must be defined by exactly one library.
set -u
headers=$1
shift
# A name before an opening parenthesis; not "aclError (*", which begins a pointer to a function.
declared=$(cat $(find "$headers" -name '*.h') | grep -v '^static inline' | tr '\n' ' ' |
  grep -oE '\b(acl|Acl|Hccl)[A-Za-z0-9_]*\s*\([^*]' | sed 's/[ (].*//' | sort -u)
defined=$(nm -D --defined-only "$@" | awk 'NF == 3 && $2 != "A" {print $3}' | sort)
broken=0

unknown=$(comm -23 <(sort -u <<<"$defined") <(echo "$declared"))
if [[ -n $unknown ]]; then
  printf 'exported, but not declared in a public header:\n%s\n' "$unknown"
  broken=1
fi
missing=$(comm -13 <(sort -u <<<"$defined") <(echo "$declared"))
if [[ -n $missing ]]; then
  printf 'declared in a public header, but exported by no library:\n%s\n' "$missing"
  broken=1
fi
twice=$(uniq -d <<<"$defined")
if [[ -n $twice ]]; then
  printf 'defined by more than one library:\n%s\n' "$twice"
  broken=1
fi
if [[ $(wc -l <<<"$defined") -lt 150 ]]; then
  echo "only $(wc -l <<<"$defined") symbols found: is this the right set of libraries?"
  broken=1
fi
echo "$(wc -l <<<"$defined") exported symbols, all C and all documented: $((broken == 0))"
exit $broken
