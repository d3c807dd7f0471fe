#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packages and data come through package clients, which know the registry to ask: no file of the tree
# names a registry. Prints each line with a host that is not one of those below, and each command that
# fetches from an address.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

# The names of XML's space for SVG and of the format of copyright files, the licence, the sources of
# libraries that CMake can fetch by their revision, the reserved example host, and this machine itself.
hosts='www\.w3\.org|www\.debian\.org|www\.apache\.org|github\.com|example\.org|127\.0\.0\.1'
label='[A-Za-z0-9_-]+'
host="($label\\.)+(org|com|io|net|dev|cn|eu)\\b"

files() {
  git ls-files --cached --others --exclude-standard 2>/dev/null ||
    find . -type f -not -path './build/*' -not -path './out/*'
}
# found PATTERN: lines of the tree with what matches, without what may stand there.
found() {
  files | tr '\n' '\0' | xargs -0 grep -IHnoE -- "$1" 2>/dev/null |
    grep -vE ":([a-z+]+://)?($hosts)\$" | grep -v '^[^:]*check_addresses.sh:'
}
broken=0
(($(files | wc -l) > 500)) || {
  echo "these files cannot be the whole tree: $(files | wc -l)"
  broken=1
}
# Without an address, and with one, whose host may have any name.
if found "([a-z+]+://)?$host" || found '(https?|ftp|git|ssh)://[A-Za-z0-9.-]+\.[A-Za-z0-9.-]+'; then
  echo "  -> the tree names these hosts, which it may not: let a package client ask its registry"
  broken=1
fi
if files | grep -E '(\.sh|\.cmake|\.txt|\.py|^dev|^\.ci/.*)$' | tr '\n' '\0' |
  xargs -0 grep -HnE '(^|[^A-Za-z0-9_.-])(curl|wget)[ "]|--registry|--index-url' |
  grep -v '^[^:]*check_addresses.sh:'; then
  echo "  -> these fetch from an address: let a package client ask its registry"
  broken=1
fi
exit $broken
