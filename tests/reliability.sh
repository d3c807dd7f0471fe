# SPDX-License-Identifier: Apache-2.0
# The verbs of ./dev that try to break the libraries; each writes what came of it into its row of
# docs/reliability.md. Read by dev, whose functions and variables it uses.

# Writes what a command found into its row of the page.
record() {
  local page=docs/reliability.md
  awk -F'|' -v OFS='|' -v key=" $1 " -v text=" $(date +%F): $2 " \
    '$2 == key { $4 = text } { print }' "$page" >"$page.new"
  mv "$page.new" "$page"
}

# Runs the command, shows what it prints, and records its last line that matches the pattern.
run_and_record() {
  local row=$1 pattern=$2 output
  shift 2
  output=$(mktemp)
  "$@" | tee "$output"
  record "$row" "$(grep -E "$pattern" "$output" | tail -1)"
  rm "$output"
}

#: ./dev faults [options]  let every allocation of the libraries fail once (seconds), and write what came
#:                         of it into docs/reliability.md
verb_faults() {
  build faults
  if (($#)); then
    "$build/bin/faults" "$@"
  else
    run_and_record 'out of memory' 'faults injected' "$build/bin/faults"
  fi
}

# As many targets at a time as there are cores; what they find stops nothing.
#: ./dev fuzz [target ...] [--seconds N]
#:                         let libFuzzer look for inputs that break the libraries, each target for a
#:                         minute; the targets are the folders of tests/fuzz/corpus (the first build
#:                         takes a quarter of an hour on two cores)
verb_fuzz() {
  local seconds=60 targets=() target result findings=0
  while (($#)); do
    case $1 in
      --seconds) seconds=${2:?}; shift 2 ;;
      *) targets+=("$1"); shift ;;
    esac
  done
  ((${#targets[@]})) || targets=($(ls tests/fuzz/corpus))
  install_packages "${fuzz_packages[@]}"
  use_preset fuzz
  build "${targets[@]/#/fuzz_}"
  printf '%s\n' "${targets[@]}" |
    xargs -P "$(nproc)" -I '{}' bash tests/fuzz/run.sh "$build" '{}' "$seconds" || findings=1
  ((seconds < 60)) && return $findings
  for target in "${targets[@]}"; do
    result=$build/findings/$target.txt
    [[ ! -f $result ]] || record "fuzz $target" "$(<"$result")"
  done
  return $findings
}

# Options are given to the soak; only without any it is the whole one, which is recorded.
#: ./dev soak [options]    ten minutes of random work from eight threads on many streams, checked
#:                         (options of soak: --seconds N, --threads N, --operators TEXT)
verb_soak() {
  build soak
  if (($#)); then
    "$build/bin/soak" "$@"
  else
    run_and_record soak 'operators checked' "$build/bin/soak"
  fi
}

#: ./dev test-training [options]
#:                         ask the promises of docs/guide/training.md of random models, a minute long from
#:                         a fresh seed, and shrink those that break one (options of training_properties:
#:                         --seconds N, --seed N, --count N, --property NAME; see --help)
verb_test_training() {
  build training_properties
  "$build/bin/training_properties" "$@"
}

# Files of an earlier call go first: the script takes all that there are.
#: ./dev compare-torch [--seed N] [--count N]
#:                         train random models here and in PyTorch, by the same numbers, and compare what
#:                         comes of them; 100 from seed 1 (fetches python3-torch, 60 MB)
verb_compare_torch() {
  install_packages python3-torch python3-numpy
  build write_torch_runs
  rm -rf out/compare-torch
  mkdir -p out/compare-torch
  "$build/bin/write_torch_runs" out/compare-torch "$@"
  bash bench/pytorch.sh tests/training/compare_torch/compare_torch.py out/compare-torch
}

# The libraries, and the tests that look inside them, are built with the sanitizers; all other tests are
# those of the release build, which load these libraries in the place of their own.
sanitize_addresses() {
  # All but the tests that compile or measure something themselves, or are started by other programs.
  local all='^(activations|autograd|cases|contract|distributed|environment|faults|framework_[a-z]*'
  all+='|fuzz|graph|hccl|mocked|mutants|runtime|session|operators|viz)\.'
  build
  local release=$build
  use_preset asan
  build ascendcl nnopbase opapi hccl test_meta test_kernels
  run_and_record 'sanitizers, asan, inside' 'tests passed' ctest --test-dir "$build" \
    --output-on-failure --parallel "$(nproc)" -R '^(kernels|meta)\.'
  # Tests that count allocations replace some forms of operator new and delete, the libraries use
  # others. In the children that the soak forks, the memory of the parent's threads looks lost; threads
  # of a forked child may find the sanitizer's own allocator locked for ever. What the library's own
  # checks of memory say is changed by the sanitizer's, instruction sets that these libraries lack
  # cannot be compared, the compiler has leaks, the sanitizer needs more memory than small limits give, and it
  # takes the unwinding of a cancelled thread for an overflow.
  run_and_record 'sanitizers, asan' 'tests passed' env LD_LIBRARY_PATH="$PWD/$build/lib" \
    LD_PRELOAD="$(g++ -print-file-name=libasan.so)" ASAN_OPTIONS=alloc_dealloc_mismatch=0 \
    ctest --test-dir "$release" --output-on-failure --parallel "$(nproc)" -R "$all" \
    -E '^(contract\.load|environment\.([a-z]|Limits|ThreadsDeath|SessionsDeathTest\.MayHaveLittle)|hccl\.(processes|HcclThreadsDeath)|session\.Scale|cases\.Rows/InstructionSets|runtime\.headers|runtime\.Pieces\.AForked)'
}

# What has threads, without the fuzzed call sequences, whose copies may race by themselves, without an
# operator that overwrites on purpose what its other threads still read, without measured memory, and
# without a look at all threads, of which one is the sanitizer's.
sanitize_threads() {
  use_preset tsan
  build test_environment test_hccl test_runtime test_session soak
  run_and_record 'sanitizers, tsan' 'tests passed' ctest --test-dir "$build" --output-on-failure \
    --parallel "$(nproc)" -R '^(environment|hccl|runtime|session|soak)\.' \
    -E '^(environment\.([a-z]|Limits|SignalsDeathTest\.LibraryThreads)|session\.(Bisect\.FindsAWrongClaim|Compare\.NamesTheNodeThatSharedMemory|Scale\.MemoryIsLittle))'
}

#: ./dev sanitize [asan|tsan]
#:                         run the tests on libraries with the address and undefined-behaviour
#:                         sanitizers, and those with threads under the thread sanitizer
verb_sanitize() {
  export UBSAN_OPTIONS=print_stacktrace=1 TSAN_OPTIONS=die_after_fork=0
  case ${1-both} in asan | both) sanitize_addresses ;; esac
  case ${1-both} in tsan | both) sanitize_threads ;; esac
}

# The libraries count, in clang's coverage of the source; the tests are those of the release build, which
# load these libraries in the place of their own, but for two that look inside.
#: ./dev coverage          how many lines of ops/ the tests run, and branches of the operators' checks
verb_coverage() {
  local tests='^(cases|contract|diagnostics|faults|fuzz|graph|hccl|runtime|session|soak|operators)\.'
  install_packages "${coverage_packages[@]}"
  build
  local release=$build
  use_preset coverage
  build ascendcl nnopbase opapi hccl test_meta test_kernels
  export LLVM_PROFILE_FILE=$PWD/$build/profiles/%m.profraw
  rm -rf "$build/profiles"
  LD_LIBRARY_PATH=$PWD/$build/lib ctest --test-dir "$release" --parallel "$(nproc)" -R "$tests" | tail -3
  ctest --test-dir "$build" --parallel "$(nproc)" -R '^(kernels|meta)\.' | tail -3
  bash tests/coverage/report.sh "$build" >"$build/coverage.txt"
  cat "$build/coverage.txt"
  record 'lines of ops/' "$(sed -n 's/^lines of ops.: //p' "$build/coverage.txt")"
  record 'branches of the checks' "$(sed -n 's/^branches of the checks: //p' "$build/coverage.txt")"
}
