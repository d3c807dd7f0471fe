#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts_test.sh ROOT
# The scripts of the pages parse, alone and one after the other as they stand in a page.
set -u
if ! command -v node >/dev/null; then
  echo "skipped: there is no Node.js here"
  exit 77
fi
cd "$1/framework/page" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
for script in *.js; do
  [[ $script != shared.js ]] && cat shared.js "$script" >"$work/$script" || cp "$script" "$work"
  node --check "$work/$script" || exit 1
  count=$((count + 1))
done
echo "$count scripts"
((count >= 3))
