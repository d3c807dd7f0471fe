# SPDX-License-Identifier: Apache-2.0
# For tests to source: begin_in FOLDER starts afresh in it; fail says what went wrong and goes on, and
# a test ends with ((failures == 0)).
failures=0

begin_in() {
  rm -rf "$1"
  mkdir -p "$1"
  cd "$1" || exit 1
}

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
