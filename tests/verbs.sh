# SPDX-License-Identifier: Apache-2.0
# The verbs of ./dev that test, check and format.

#: ./dev test [ctest args] build everything but the benchmarks and run the tests
#: ./dev test --compiler clang [ctest args]
#:                         the same with clang
#: ./dev test --arch aarch64 [ctest args]
#:                         build for aarch64 and run the tests in an emulator (many times as long)
#: ./dev test --system trixie|bookworm
#:                         the README's two commands on a minimal Debian that is made for it (as root)
#: ./dev test --cpu MODEL  run kernels, runtime and training on an emulated x86-64 processor, such as
#:                         Nehalem, which has no AVX (minutes)
verb_test() {
  case ${1-} in --compiler | --arch | --cpu | --system)
    test_elsewhere "$@"
    return
    ;;
  esac
  build
  # One more than there are processors, as some wait for each other's time limits.
  ctest --test-dir "$build" --no-tests=error --output-on-failure --parallel "$(($(nproc) + 1))" "$@"
}

# As verb_test, with another compiler, for another architecture, or on another processor.
test_elsewhere() {
  local place="$1 ${2-}" run=()
  case $place in
    '--compiler clang')
      install_packages "${clang_packages[@]}"
      use_preset clang
      ;;
    '--arch aarch64')
      install_packages "${aarch64_packages[@]}"
      use_preset aarch64
      bash tests/machines/sysroot.sh arm64 "$build/sysroot" "${library_packages[@]}" "${test_library_packages[@]}"
      run=(bash tests/machines/foreign.sh "$build/sysroot")
      ;;
    '--system '?*)
      local suite=$2
      shift 2
      install_packages debootstrap
      exec bash tests/machines/system.sh "$suite" . "build/system-$suite" new \
        bash tests/machines/try.sh "$@"
      ;;
    '--cpu '?*)
      install_packages qemu-user
      build test_kernels test_runtime test_cases train_digits
      exec bash tests/machines/cpu_test.sh "$2" "$build"
      ;;
    *)
      echo "./dev test: there is no '$place'; see ./dev help all" >&2
      exit 2
      ;;
  esac
  shift 2
  build
  "${run[@]}" ctest --test-dir "$build" --no-tests=error --output-on-failure --parallel "$(nproc)" "$@"
}

#: ./dev test-gradcheck-long [seeds]
#:                         gradcheck's pairs of functions and the Python package at length: under many seeds
#:                         (100; ACLGRAD_SEEDS), in every dtype, with every mistake and cheat (an hour)
verb_test_gradcheck_long() {
  install_packages "${python_packages[@]}"
  build
  export ACLGRAD_LONG=1 ACLGRAD_SEEDS=${1-${ACLGRAD_SEEDS-100}}
  ctest --test-dir "$build" --no-tests=error --output-on-failure --timeout 20000 --parallel "$(nproc)" \
    -R '^python\.|ReferencePairs'
  ACLGRAD_LIBRARY=$PWD/$build/lib/libaclgrad_gradcheck_c.so /usr/bin/python3 tests/python/alarms.py "$ACLGRAD_SEEDS"
}

#: ./dev test-pages        the tests of the HTML pages in a headless browser (installs Chromium and npm;
#:                         ./dev test has them, too, where these are)
verb_test_pages() {
  install_browser
  verb_test -R '^(pages|viz)\.|^live\.page\.' "$@"
}

#: ./dev test-wasm         make the pages of ./dev wasm and test them in a headless browser, beside those that
#:                         ./dev live serves (./dev test does it, too, where out/wasm is there)
verb_test_wasm() {
  install_browser
  verb_wasm
  verb_test -R '^live\.static\.' "$@"
}

#: ./dev check             formatting, warnings, direction of includes, sizes; benchmarks, each for a moment;
#:                         what it takes to add an operator, by adding one to a copy (in minutes)
verb_check() {
  install_packages "${style_packages[@]}"
  echo "formatting"
  sources | xargs clang-format --dry-run -Werror
  echo "direction of includes, sizes of folders and files"
  bash tests/structure/check_includes.sh
  bash tests/structure/check_sizes.sh
  echo "warnings (a full build; warnings are errors)"
  benchmarks=ON ACLGRAD_CMAKE_OPTIONS="-DACLGRAD_WARNINGS_AS_ERRORS=ON ${ACLGRAD_CMAKE_OPTIONS-}" build
  echo "benchmarks, each for a moment"
  ctest --test-dir "$build" --no-tests=error --output-on-failure -R '^(bench|gradcheck_peer)\.'
  echo "a new operator, in a copy"
  bash tests/structure/new_operator.sh build . build/new-operator -DACLGRAD_WARNINGS_AS_ERRORS=ON
  echo "all good"
}

#: ./dev format            format the sources in place
verb_format() {
  install_packages "${style_packages[@]}"
  sources | xargs clang-format -i
}

sources() {
  git ls-files --cached --others --exclude-standard '*.cpp' '*.h'
}

#: ./dev gradcheck [options]
#:                         check every operator, forward and gradient, in every dtype, layout
#:                         and attribute (options of aclgrad-gradcheck: --op, --library, --html, ...;
#:                         see --help); with --score let gradcheck, and PyTorch's where it is installed
#:                         (python3-torch), loose on broken operators, and gradcheck on 10,000 random
#:                         configurations of right ones, and write docs/gradcheck.md (three minutes);
#:                         with --museum let them loose on gradients that were wrong and shipped, and
#:                         write docs/museum.md (five minutes);
#:                         with --peers check libtorch and oneDNN and write docs/gradcheck-peers.md
#:                         (ten minutes, and 30 MB to fetch for libtorch)
verb_gradcheck() {
  if [[ $* == --peers ]]; then
    install_peers
    benchmarks=ON build aclgrad-gradcheck peer_libraries
    bash bench/peers/check_peers.sh "$build" docs/gradcheck-peers.md
    return
  fi
  if [[ $* == --score || $* == --museum ]]; then
    score_"${1#--}"
    return
  fi
  (($#)) || set -- --all
  build aclgrad-gradcheck
  "$build/bin/aclgrad-gradcheck" "$@"
}

# score_with_pytorch PROGRAM SCRIPT LIBRARY PAGE: checkers on broken operators. PyTorch's can be done without.
score_with_pytorch() {
  mkdir -p out
  local found=out/$1-pytorch.tsv torch=() status=0
  bash bench/pytorch.sh "$2" "$build/lib/$3" >"$found" || status=$?
  case $status in
    0) torch=(--torch "$found") ;;
    77) echo "The score goes on without it." >&2 ;;
    *) die "PyTorch's gradcheck did not get through $3" ;;
  esac
  status=0
  rm -f "out/$1.json" # of an earlier run
  "$build/bin/$1" --json "out/$1.json" || status=$?
  python3 bench/checkers/page.py "out/$1.json" "${torch[@]}" --markdown "$4"
  return $status
}

score_score() {
  build gradcheck_score gradcheck_mutants
  score_with_pytorch gradcheck_score bench/checkers/torch_gradcheck.py libgradcheck_mutants.so docs/gradcheck.md
}

score_museum() {
  build museum_score wrong_gradients
  score_with_pytorch museum_score tests/museum/torch_museum.py libwrong_gradients.so docs/museum.md
}

#: ./dev prove [options]   prove the error bounds by trying every input (half an hour; can be interrupted
#:                         and goes on; ./dev prove --help), and write docs/accuracy.md
verb_prove() {
  build prove
  if (($#)); then
    "$build/bin/prove" "$@"
  else
    "$build/bin/prove" --peers --markdown docs/accuracy.md
    reference
  fi
}

#: ./dev samples [DIR...]  compile and run, unchanged, every program of folders, in C, C++, Python, or in documents
#:                         as the vendor's pages (default: our own host programs)
verb_samples() {
  (($# > 0)) || set -- examples/aclnn examples/python
  build ascendcl nnopbase opapi
  bash tests/samples/run_samples.sh "$build" "$@"
}

#: ./dev test-install      use the library as other projects do: inside another build, as shared and as
#:                         static libraries, from Debian packages (a quarter of an hour)
verb_test_install() {
  install_packages dpkg-dev
  build
  local way
  for way in tree find_package pkg_config compile_time headers each_header configure deb \
    add_subdirectory fetch_content shared static fetched toolkit; do
    bash tests/install/install_test.sh "$way" "$PWD/$build" "$PWD"
  done
}

#: ./dev verify-matrix [BUILD...]
#:                         train the demo and the examples' networks once and verify that they have the same bits
#:                         on any number of threads and ranks, replayed, eager and resumed, by other instruction
#:                         sets, other builds (folders such as build/clang and build/aarch64) and, with qemu-user,
#:                         on other processors: writes docs/verify.md (ten minutes; more with an emulator)
verb_verify_matrix() {
  build aclgrad-verify train_digits convolution mobilenet recurrent transformer translate test_verify
  bash tests/verify/matrix.sh "$build" docs/verify.md "$@"
}

#: ./dev onnx-test [options]
#:                         ONNX's own test models, what they give and their gradients: writes docs/onnx.md
#:                         (a minute; --only NAME, other folders with models: see onnx_models --help)
verb_onnx_test() {
  build onnx_models
  if (($#)); then
    "$build/bin/onnx_models" "$@"
  else
    "$build/bin/onnx_models" --quiet --gradients --markdown docs/onnx.md
  fi
}
