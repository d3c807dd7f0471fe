#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: try.sh [ctest arguments]
# In a clone on a bare system: the two commands of the README; reports versions, results and times.
set -euo pipefail
versions() {
  dpkg-query -W -f '${Package} ${Version}\n' g++ cmake libfmt-dev libhwy-dev libdnnl-dev libcli11-dev \
    nlohmann-json3-dev zlib1g-dev libpng-dev libgtest-dev libbenchmark-dev openmpi-bin 2>/dev/null || true
}
SECONDS=0
./dev demo
echo "demo: $SECONDS s"
SECONDS=0
status=0
./dev test "$@" || status=$?
echo "test: $SECONDS s, exit status $status"
versions
exit $status
