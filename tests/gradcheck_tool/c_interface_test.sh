#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# c_interface_test.sh GRADCHECK INCLUDE LIBRARY WRONG_LIBRARY PAGE PAGE_LIBRARY: gradcheck's C
# interface, from a program in C, and the programs of docs/how-to/check-a-library.md, on the library that stands
# there, and of docs/how-to/check-a-c-function.md.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
gradcheck=$1 include=$2 library=$3 wrong=$4 page=$5 of_page=$6 functions_page=${5%/*}/check-a-c-function.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=$(dirname "$gradcheck")

foreign=$(nm -D --defined-only "$gradcheck" | awk '$3 !~ /^aclgradGradcheck/ {print $3}')
[[ -z $foreign ]] || { echo "the library also exports $foreign"; exit 1; }
if readelf -d "$gradcheck" | grep -E 'NEEDED.*(ascendcl|nnopbase|opapi)'; then
  echo "the library is linked with what it should find by name"
  exit 1
fi

# compile SOURCE PROGRAM [LINKER OPTION...]
compile() {
  ${CXX:-c++} -x c -std=c99 -Wall -Wextra -Wpedantic -Werror -I"$include" -c "$1" -o "$work/program.o"
  ${CXX:-c++} "$work/program.o" -o "$2" -L"$folder" -Wl,-rpath,"$folder" -laclgrad_gradcheck_c \
    -lm "${@:3}"
}
compile "$here/c_interface.c" "$work/check"
"$work/check" "$library" "$wrong"

# finds COMMAND...: the program finds what the page says of its library.
finds() {
  local output status=0
  output=$("$@" 2>&1) || status=$?
  [[ $status == 1 && $output == *"37 results are beyond the bound"* ]] || {
    printf '%s: exit status %d\n%s\n' "$*" "$status" "$output"
    exit 1
  }
}
block() { awk -v mark="\`\`\`$1" '$0 == mark { inside = 1; next } /^```/ { inside = 0 } inside' "${2-$page}"; }
block c >"$work/check.c"
compile "$work/check.c" "$work/of_page"
finds "$work/of_page" "$of_page"
# Of the process itself, where it has such functions.
compile "$work/check.c" "$work/process" -Wl,--no-as-needed -lopapi -lnnopbase -lascendcl
"$work/process" >"$work/log" || { cat "$work/log"; exit 1; }
! command -v python3 >/dev/null || {
  block python >"$work/check.py"
  LD_LIBRARY_PATH=$folder finds python3 "$work/check.py" "$of_page"
}

# nth_block N: of the page about functions.
nth_block() { awk -v n="$1" '$0 == "```c" { inside = ++count == n; next } /^```/ { inside = 0 } inside' "$functions_page"; }

# A pair of functions: it prints what the page shows, and is right once the mean is there.
nth_block 1 >"$work/functions.c"
compile "$work/functions.c" "$work/functions"
status=0
"$work/functions" >"$work/log" || status=$?
block text "$functions_page" >"$work/shown"
[[ $status == 1 ]] && diff -B "$work/shown" "$work/log"
sed 's|* sum);$|* sum / kWidth);|' "$work/functions.c" >"$work/mended.c"
compile "$work/mended.c" "$work/functions"
"$work/functions"

# One of 16 bits is right, and wrong without the mean.
nth_block 2 >"$work/bits.c"
compile "$work/bits.c" "$work/bits"
"$work/bits"
sed 's|\(from_bf16(dy\[i\]) \* from_bf16(x\[i\])\) / kWidth;$|\1;|' "$work/bits.c" >"$work/damaged.c"
cmp -s "$work/bits.c" "$work/damaged.c" && { echo "the page's program has another form"; exit 1; }
compile "$work/damaged.c" "$work/bits"
status=0
"$work/bits" >"$work/log" || status=$?
[[ $status == 1 ]] && grep -q "24 of 24 elements of the gradient of x are not the derivative" "$work/log" || {
  cat "$work/log"
  exit 1
}
