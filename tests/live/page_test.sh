#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: page_test.sh PROGRAM NETWORK FOLDER [PAGES]
# The page of a network that `live` trains, in a browser that is driven as a person would (page_test.mjs).
# Without a browser, Node.js, or the driver, which npm gets once for all networks, the test says so and is
# skipped. With PAGES, the folder that ./dev wasm writes, it is the page there, beside the served one; skipped where it
# is not there, or older than the sources.
set -u
tests=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=/dev/null
source "$tests/../pages/browser.sh"
network=$2 modules=$(dirname "$3")/driver
if [[ -n ${4-} ]]; then
  [[ -f $4/live.js ]] || {
    echo "skipped: there are no pages in $4 (./dev wasm makes them)"
    exit 77
  }
  newer=$(cd "$tests/../.." && find ops framework autograd examples/live docs/lessons -type f -newer "$4/live.js" | head -n 1)
  [[ -z $newer ]] || {
    echo "skipped: the pages in $4 are older than $newer (./dev wasm makes them anew)"
    exit 77
  }
fi
find_browser
for need in node npm; do
  command -v $need >/dev/null || {
    echo "skipped: there is no $need here"
    exit 77
  }
done
begin "$1" "$3"

mkdir -p "$modules"
(
  flock 9
  [[ -d $modules/node_modules/puppeteer-core && -d $modules/node_modules/axe-core ]] || npm install --prefix "$modules" --no-save --no-audit \
    --no-fund --ignore-scripts puppeteer-core@24 axe-core@4 >npm.txt 2>&1
) 9>"$modules/lock" || {
  echo "skipped: npm cannot get the driver: $(tail -n 1 npm.txt)"
  exit 77
}

"$program" "$network" --no-browser >printed.txt 2>&1 &
process=$!
trap 'kill $process 2>/dev/null' EXIT
for _ in {1..200}; do
  address=$(grep -om1 'http://[^ ]*' printed.txt) && break
  sleep 0.1
done
[[ -n $address ]] || {
  echo "no address: $(cat printed.txt)"
  exit 1
}
export NODE_PATH=$modules/node_modules
if [[ -n ${4-} ]]; then
  timeout 900 node "$tests/page_test.cjs" "$browser" "file://$4/$network.html" "$network" &&
    timeout 300 node "$tests/static_test.cjs" "$browser" "$4" "$network" "$address"
else
  timeout 900 node "$tests/page_test.cjs" "$browser" "$address" "$network" $process
fi
