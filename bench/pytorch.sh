#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pytorch.sh SCRIPT [ARGUMENT ...]: runs it with a Python that has PyTorch; exit status 77 where none has.
set -euo pipefail
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import torch' 2>/dev/null; then exec "$python" "$@"; fi
done
echo "PyTorch is not installed (python3-torch)" >&2
exit 77
