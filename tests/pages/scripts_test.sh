#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: scripts_test.sh ROOT
# The scripts of each page parse, one after the other as they stand in it, and import what the others export;
# layouts keep their promises.
set -u
if ! command -v node >/dev/null; then
  echo "skipped: there is no Node.js here"
  exit 77
fi
tests=$(cd "$(dirname "$0")" && pwd)
cd "$1/framework/page" || exit 1
live=../../autograd/live/page
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Scripts in one scope, as the build makes a page of them.
joined() {
  cat "$@" | sed -zE "s/\nimport \{[^}]*\} from '[^']*';//g; s/\nexport /\n/g"
}
joined shared.js layout.js fold.js graph.js view.js >"$work/graph.js"
joined shared.js chart.js run.js >"$work/run.js"
joined shared.js chart.js layout.js fold.js graph.js view.js "$live"/*.js >"$work/live.js"
joined layout.js "$tests/layout_test.js" >"$work/layout.js"
for script in graph run live; do node --check "$work/$script.js" || exit 1; done
for script in *.js; do
  grep -qF "page::${script%.js}_js" ../*/*.cpp || [[ $script == shared.js ]] || {
    echo "$script is on no page"
    exit 1
  }
done
node "$tests/imports_test.cjs" shared.js layout.js fold.js graph.js view.js || exit 1
node "$tests/imports_test.cjs" shared.js chart.js run.js || exit 1
node "$tests/imports_test.cjs" shared.js chart.js layout.js fold.js graph.js view.js "$live"/*.js || exit 1
node "$work/layout.js"
