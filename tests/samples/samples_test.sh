#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: samples_test.sh BUILD
# Programs in C, C++ and Python and one in a page are found, compiled with what stands beside them, and run; one that
# fails, one that does not compile and a folder without any are said.
set -u
here=$(dirname "${BASH_SOURCE[0]}")
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect STATUS TEXT FOLDER...
expect() {
  local status=$1 text=$2 output actual
  shift 2
  output=$(bash "$here/run_samples.sh" "$build" "$@" 2>&1)
  actual=$?
  [[ $actual == "$status" && $output == *"$text"* ]] && return
  printf 'run_samples.sh: exit status %d instead of %d, or no "%s"\n%s\n' "$actual" "$status" "$text" "$output"
  failures=1
}

mkdir "$folder"/{right,wrong,empty}
cat >"$folder/right/answer.h" <<'EOF'
#define ANSWER 0
EOF
cat >"$folder/right/one.c" <<'EOF'
#include "acl/acl.h"
#include "answer.h"
int main(void) { int class = aclInit(NULL); return class + aclFinalize() + ANSWER; }
EOF
cat >"$folder/right/two.cpp" <<'EOF'
#include "aclnnop/aclnn_relu.h"
#include "answer.h"
int main() { return aclnnRelu(nullptr, 0, nullptr, nullptr) == 161001 ? ANSWER : 1; }
EOF
cat >"$folder/right/three.py" <<'EOF'
import acl
raise SystemExit(acl.init() or acl.finalize())
EOF
cat >"$folder/right/a page.md" <<'EOF'
# A page
```cpp
#include "acl/acl.h"
int main() {
  if (aclInit(nullptr) != 0) { return 1; }
  return aclFinalize();
}
```
EOF
echo 'Words alone.' >"$folder/empty/page.md"
expect 0 '4 programs ran, 0 failed' "$folder/right"
expect 1 'no program in it' "$folder/empty"
echo 'int main(void) { return 3; }' >"$folder/wrong/one.c"
echo 'int main() { return class; }' >"$folder/wrong/two.cpp"
expect 1 'does not compile' "$folder/wrong"
expect 1 '5 programs ran, 2 failed' "$folder/right" "$folder/wrong"
exit $failures
