#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: dev_test.sh ROOT
# What ./dev says where it cannot work: one line, and what to do. The system around it is played by scripts.
set -u
root=$1
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

mkdir -p "$work/tree" "$work/bin"
(cd "$root" && cp --parents dev cmake/{build,install_packages}.sh {examples,tests,bench,docs,cmake/packages}/verbs.sh \
  tests/reliability.sh "$work/tree")
for tool in bash env dirname uname mkdir cat awk grep nproc rm sed; do
  ln -s "$(command -v $tool)" "$work/bin/$tool"
done
# play NAME SCRIPT: a program of that name in the only folder that ./dev looks in.
play() {
  rm -f "$work/bin/$1"  # it may be a link to the one of the system
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}

# says STATUS WORDS COMMAND...: ./dev ends with the status and one line with the words.
says() {
  local status=$1 words=$2 output got
  shift 2
  output=$(env -i PATH="$work/bin" "${as[@]}" "$work/tree/dev" "$@" 2>&1)
  got=$?
  ((got == status)) || fail "exit status $got instead of $status: $*: $output"
  [[ $(wc -l <<<"$output") == 1 && $output == *"$words"* ]] || fail "'$words' is not the line of $*: $output"
}
as=()

says 2 "there is no command 'dmeo'; ./dev help lists them" dmeo
says 2 "there is no command 'rm -r'; ./dev help lists them" 'rm -r'

# The help is one screen; that of all verbs has every one.
for asked in '' -h --help help; do
  help=$("$root/dev" $asked) || fail "./dev $asked"
  (($(wc -l <<<"$help") <= 24)) || fail "the help has more than 24 lines"
  ! grep -q '.\{81\}' <<<"$help" || fail "the help has a line of more than 80 characters"
  for verb in demo mnist self_normalizing convolution mobilenet recurrent transformer test check bench docs \
    'help all'; do
    grep -q "^  ./dev $verb " <<<"$help" || fail "the help lacks ./dev $verb"
  done
done
all=$("$root/dev" help all)
while read -r verb; do
  verb=${verb//_/[-_ ]}
  grep -q "^  ./dev $verb\( \|$\)" <<<"$all" || fail "./dev help all lacks $verb"
done < <(sed -n 's/^verb_\([a-z_]*\)() .*/\1/p' "$work"/tree/{*,cmake/packages}/{verbs,reliability}.sh 2>/dev/null)
(($(grep -c '^  ./dev ' <<<"$all") >= 30)) || fail "./dev help all has few verbs: $all"
says 1 "there is no CMake and no C++ compiler; install: " demo
play c++ 'exit 0'
says 1 "there is no CMake; install: " demo
play cmake 'echo "no fmt"; exit 1'
play df 'printf "header\n/dev/x 100 90 10 90%% /\n"'
says 1 "configuring failed: the disk of build/release is full (0 MB left)" demo
play df 'printf "header\n/dev/x 9000000 0 9000000 0%% /\n"'
output=$(env -i PATH="$work/bin" "$work/tree/dev" demo 2>&1)
[[ $output == "no fmt"*"what it needs here: "* ]] || fail "the message on another system: $output"
play uname 'echo Darwin'
says 1 "aclgrad runs on Linux" demo
ln -sf "$(command -v uname)" "$work/bin/uname"

# Without a network, and without the rights to install.
play dpkg-query 'exit 1'
play apt-get 'echo "E: no network" >&2; exit 100'
if ((EUID == 0)); then
  output=$(env -i PATH="$work/bin" "$work/tree/dev" demo 2>&1)
  [[ $output == *"apt-get did not install g++ "*"without a network"* ]] || fail "without a network: $output"
else
  output=$(env -i PATH="$work/bin" "$work/tree/dev" demo 2>&1)
  [[ $output == *"sudo apt-get install g++ "* ]] || fail "without the rights to install: $output"
fi
rm "$work"/bin/{dpkg-query,apt-get}

# In a folder that is not ours to write to; root may write everywhere.
chmod 755 "$work"
chmod -R a-w "$work/tree"
((EUID != 0)) || as=("$(command -v setpriv)" --reuid 65534 --regid 65534 --clear-groups)
if ((EUID != 0)) || [[ -x ${as[0]} ]]; then says 1 "cannot write to $work/tree/build/release" demo; fi

# Which program a verb runs, and with which options; nothing is built.
runs() {
  local wanted=$1 output
  shift
  output=$(cd "$work/played" && ./dev "$@" 2>&1)
  [[ $output == "$wanted" ]] || fail "./dev $* runs '$output' instead of '$wanted'"
}
mkdir -p "$work/played/build/release/bin"
(cd "$root" && cp --parents dev {examples,tests,bench,docs,cmake/packages}/verbs.sh tests/reliability.sh "$work/played")
printf '%s() { :; }\n' install_packages install_peers build build_example >"$work/played/cmake/build.sh"
echo 'build=build/release' >>"$work/played/cmake/build.sh"
printf 'reference() { echo reference; }\n' >>"$work/played/docs/verbs.sh"
for program in train_digits recurrent bench_growth bench_kernels bench_scale aclgrad-gradcheck training_properties; do
  printf '#!/bin/sh\necho %s "$@"\n' $program >"$work/played/build/release/bin/$program"
  chmod +x "$work/played/build/release/bin/$program"
done
runs 'train_digits --epochs 1' demo --epochs 1
runs 'recurrent --task adding' recurrent --task adding
runs 'bench_kernels --quick' bench kernels --quick
runs 'bench_kernels --filter Matmul --quick' bench products --quick
page='--json out/attention.json --markdown docs/performance.md'
runs "bench_kernels --program bench_attention 5 $page"$'\nreference' bench attention 5 --page
mkdir -p "$work/played/tests/machines"
printf '#!/bin/sh\necho system "$@"\n' >"$work/played/tests/machines/system.sh"
runs 'system trixie . build/system-trixie kept ./dev bench train --json out/train.json --workloads W2' \
  bench train --system trixie --workloads W2
runs 'bench_scale --markdown docs/scaling.md' bench scale
runs 'bench_growth --markdown docs/scaling-growth.md' bench growth
runs $'bench_growth\nbench_kernels\nbench_scale' bench
runs 'bench_kernels' bench kern
runs 'aclgrad-gradcheck --op elu' gradcheck --op elu
runs 'training_properties --seed 1' test-training --seed 1

source "$root/cmake/install_packages.sh"
on() { advice <(printf '%s\n' "$@"); }
[[ $(on ID=fedora) == *"dnf install gcc-c++ cmake "*"highway-devel"* ]] || fail "on Fedora: $(on ID=fedora)"
[[ $(on ID=manjaro ID_LIKE=arch) == *"pacman -S "*" zlib libpng" ]] || fail "on Arch"
[[ $(on ID=ubuntu ID_LIKE=debian) == *"apt-get install g++ "*libhwy-dev* ]] || fail "on Ubuntu"
[[ $(on 'ID="opensuse-leap"' 'ID_LIKE="suse opensuse"') == *"zypper install "* ]] || fail "on openSUSE"
[[ $(on ID=nixos) == *"by the system's package manager" ]] || fail "elsewhere: $(on ID=nixos)"
((failures == 0))
