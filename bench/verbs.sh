# SPDX-License-Identifier: Apache-2.0
# The verbs of ./dev that measure.

#: ./dev bench [name ...]  build and run the benchmarks (all, or those whose name contains a word)
verb_bench() {
  benchmarks=ON build
  local program word wanted
  for program in "$build"/bin/bench_*; do
    wanted=$((!$#))
    for word in "$@"; do [[ ${program##*/} == *"$word"* ]] && wanted=1; done
    if ((wanted)); then "$program"; fi
  done
}

# bench_page NAME PAGE PROGRAM... -- [--system SUITE] [--page] [options]
# Builds the program and runs it with its own options and these; in a minimal Debian of that suite,
# beside the libraries that it has, where one is named. What was measured with no other options, or
# with --page, goes into the page: in the place of what it had of the same cells, system and processor.
bench_page() {
  local name=$1 page=$2 program=() suite='' writes=0 options=()
  shift 2
  while [[ $1 != -- ]]; do
    program+=("$1")
    shift
  done
  shift
  while (($#)); do
    case $1 in
      --system)
        suite=${2-}
        [[ -n $suite ]] || { echo "./dev bench $name: which system?" >&2; exit 2; }
        shift
        ;;
      --page) writes=1 ;;
      *) options+=("$1") ;;
    esac
    shift
  done
  ((${#options[@]})) || writes=1
  mkdir -p out
  local json=out/$name.json
  if [[ -n $suite ]]; then
    install_packages debootstrap
    bash tests/machines/system.sh "$suite" . "build/system-$suite" kept \
      ./dev bench "$name" --json "$json" "${options[@]}"
    ((writes)) || return 0
    cp "build/system-$suite/opt/kept/$json" "$json"
    PYTHONPATH=$PWD python3 -B "bench/${program[0]#bench_}" --from "$json" --markdown "$page" >/dev/null
  else
    install_peers
    benchmarks=ON build "${program[0]}"
    ((!writes)) || options+=(--json "$json" --markdown "$page")
    "$build/bin/${program[0]}" "${program[@]:1}" "${options[@]}"
  fi
  ((!writes)) || [[ $page != docs/performance.md ]] || reference
}

#: ./dev bench kernels [--system trixie|bookworm] [--page] [options]
#:                         compare the operators with other libraries and with the memory's limit, and
#:                         write docs/performance.md and its tables, docs/performance/* (about 8
#:                         minutes on a quiet machine, and 30 MB to fetch for libtorch; options of
#:                         bench_kernels, such as --quick or --filter; see --help). With --system: in a
#:                         minimal Debian that is made for it (as root), beside its libraries. With options
#:                         the page stays as it is; --page puts what they measured into it
verb_bench_kernels() {
  bench_page kernels docs/performance.md bench_kernels -- "$@"
}

#: ./dev bench products [--system ...] [--page] [options]
#: ./dev bench recurrent [--system ...] [--page] [options]
#: ./dev bench attention [--system ...] [--page] [options]
#:                         the same of a part of the page: matrix products, recurrent layers, attention
verb_bench_products() {
  bench_page products docs/performance.md bench_kernels --filter Matmul -- "$@"
}
verb_bench_recurrent() {
  bench_page recurrent docs/performance.md bench_kernels --program bench_recurrent -- "$@"
}
verb_bench_attention() {
  bench_page attention docs/performance.md bench_kernels --program bench_attention -- "$@"
}

#: ./dev bench train [--system ...] [--page] [options]
#:                         time whole training steps, of perceptrons and of larger networks, beside
#:                         libtorch and the bare matrix products and convolutions, and write
#:                         docs/performance-training.md (half an hour; a part of it by --page
#:                         --workloads W1 W2; options of bench_train; see --help)
verb_bench_train() {
  bench_page train docs/performance-training.md bench_train -- "$@"
}

#: ./dev bench networks [name ...]
#:                         train the networks above with PyTorch, by the same recipes, and print what
#:                         comes of it, for docs/networks.md (an hour; fetches python3-torch, 60 MB)
verb_bench_networks() {
  install_packages python3-torch python3-numpy
  bash examples/train_mnist/fetch_mnist.sh out/mnist-data
  bash examples/mobilenet/fetch_fashion_mnist.sh out/fashion-mnist-data
  bash examples/transformer/fetch_text.sh out/moby-dick
  bash examples/spoken/fetch_recordings.sh out/spoken-data
  build_example translate
  "$build/bin/translate" --export out/translate.npz
  build_example spoken
  "$build/bin/spoken" --export out/spoken.npz
  bash bench/pytorch.sh bench/networks/train_pytorch.py "$@"
}

#: ./dev bench build       time the README's two commands in an empty clone, and rebuilds after a change of
#:                         one file, without a compiler cache, and write docs/build-times.md (half an hour)
verb_bench_build() {
  bash bench/build_times.sh . build/build-times docs/build-times.md
}

#: ./dev bench scale [options]
#:                         time data-parallel steps on 1, 2 and 4 ranks of this machine, predict more by
#:                         a model, and write docs/scaling.md (4 minutes; options of bench_scale)
verb_bench_scale() {
  benchmarks=ON build bench_scale
  (($#)) || set -- --markdown docs/scaling.md
  "$build/bin/bench_scale" "$@"
}

#: ./dev bench growth [options]
#:                         time recording, backward, planning and steps of more and more nodes, parameters,
#:                         examples, places and ranks, and write docs/scaling-growth.md (2 minutes; options
#:                         of bench_growth)
verb_bench_growth() {
  benchmarks=ON build bench_growth
  (($#)) || set -- --markdown docs/scaling-growth.md
  "$build/bin/bench_growth" "$@"
}
