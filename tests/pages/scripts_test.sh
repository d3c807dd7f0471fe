#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts_test.sh ROOT
# The scripts of each page parse, one after the other as they stand in it; layouts keep their promises.
set -u
if ! command -v node >/dev/null; then
  echo "skipped: there is no Node.js here"
  exit 77
fi
tests=$(cd "$(dirname "$0")" && pwd)
cd "$1/framework/page" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat shared.js layout.js fold.js graph.js view.js >"$work/graph.js"
cat shared.js chart.js run.js >"$work/run.js"
cat shared.js chart.js layout.js fold.js graph.js view.js ../../autograd/live/page/*.js >"$work/live.js"
cat layout.js "$tests/layout_test.js" >"$work/layout.js"
for script in graph run live; do node --check "$work/$script.js" || exit 1; done
for script in *.js; do
  grep -qF "page::${script%.js}_js" ../*/*.cpp || [[ $script == shared.js ]] || {
    echo "$script is on no page"
    exit 1
  }
done
node "$work/layout.js"
