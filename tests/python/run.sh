#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# run.sh FILE...: pytest on files of this folder, with the first Python that has pytest and NumPy. Exit status
# 77: none has.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")" || exit 1
for python in ${ACLGRAD_PYTHON-} python3 /usr/bin/python3; do
  "$python" -c 'import numpy, pytest' 2>/dev/null || continue
  export PYTHONDONTWRITEBYTECODE=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  exec "$python" -m pytest -q -p no:cacheprovider -rs "$@"
done
echo "pytest and NumPy (python3-pytest, python3-numpy) are not installed"
exit 77
