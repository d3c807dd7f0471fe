#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh [--numpy-optional] FILE...: pytest on files of this folder, with the first Python that has pytest and NumPy, or
# pytest alone where that will do. Exit status 77: none has.
set -u
wanted=("numpy, pytest")
if [[ $1 == --numpy-optional ]]; then
  wanted+=(pytest)
  shift
fi
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
for modules in "${wanted[@]}"; do
  for python in ${ACLGRAD_PYTHON-} python3 /usr/bin/python3; do
    "$python" -c "import $modules" 2>/dev/null || continue
    export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    exec "$python" -m pytest -q -p no:cacheprovider -rs "$@"
  done
done
echo "no Python has ${wanted[*]: -1} (packages python3-pytest, python3-numpy)"
exit 77
