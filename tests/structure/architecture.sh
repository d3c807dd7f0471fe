#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: architecture.sh [--write]
# The architecture page is true: its picture is what the includes give, its ways are no longer than
# it says, and every function that it names stands in the file beside it. With --write, draws the
# picture anew.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
page=docs/guide/architecture.md
broken=0

rooms=$(grep -rHE '^\s*#\s*include' --include='*.h' --include='*.cpp' distributed autograd framework ops |
  LC_ALL=C sort -s -t: -k1,1 | LC_ALL=C awk -f tests/structure/rooms.awk) || {
  echo "$rooms"
  exit 1
}
# The page with the picture between its two marks.
drawn=$(ROOMS=$rooms awk '/^<!-- end of rooms -->/ { skipping = 0 } !skipping
  /^<!-- rooms/ { skipping = 1; print "```\n" ENVIRON["ROOMS"] "\n```" }' "$page")
if [[ ${1-} == --write ]]; then
  printf '%s\n' "$drawn" >"$page"
elif ! diff <(printf '%s\n' "$drawn") "$page"; then
  echo "$page: its picture is not what the includes give: tests/structure/architecture.sh --write"
  broken=1
fi

# Rows of tables: the first name in backquotes is a function of the file that is the last cell. One of
# a class may stand in the class.
hops=0
named=0
while IFS=$'\t' read -r number function file; do
  [[ $number -gt $hops ]] && hops=$number
  ((++named))
  class=${function%::*}
  name=${function##*::}
  [[ -f $file ]] && {
    grep -qE "(^|[^A-Za-z0-9_:])$function( |\(|<|>)" "$file" ||
      grep -q "^ACLGRAD_OPERATOR(${function%GetWorkspaceSize}," "$file" ||
      { [[ $class != "$function" ]] && grep -qE "(class|struct) $class\b" "$file" &&
        grep -qE "[^A-Za-z0-9_]$name\(" "$file"; }
  } && continue
  echo "$page: there is no $function in $file"
  broken=1
done < <(awk -F'|' '/^\|.*`.*\| `[^`]*\.(h|cpp)` \|$/ {
  split($0, quoted, "`")
  file = $(NF - 1)
  gsub(/[` ]/, "", file)
  print $2 + 0 "\t" quoted[2] "\t" file }' "$page")
if ((named < 25 || hops < 10 || hops > 20)); then
  echo "$page: $named functions, the way of a gradient in $hops hops, expected at least 25 and at most 20"
  broken=1
fi
exit $broken
