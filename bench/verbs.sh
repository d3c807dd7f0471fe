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

#: ./dev bench kernels [options]
#:                         compare the operators with other libraries and with the memory's limit, and
#:                         write docs/performance.md and its tables, docs/performance/*.csv (about 8
#:                         minutes on a quiet machine, and 30 MB to fetch for libtorch; options of
#:                         bench_kernels, such as --quick or --filter; see --help)
verb_bench_kernels() {
  install_peers
  benchmarks=ON build bench_kernels
  mkdir -p out
  if (($#)); then
    "$build/bin/bench_kernels" "$@"
  else
    "$build/bin/bench_kernels" --markdown docs/performance.md --csv out/performance.csv \
      --json out/performance.json
    reference
  fi
}

#: ./dev bench train [options]
#:                         time whole training steps, of perceptrons and of the networks above, beside
#:                         libtorch and the bare matrix products and convolutions, and write
#:                         docs/performance-training.md (ten minutes; options of bench_train; see --help)
verb_bench_train() {
  install_peers
  benchmarks=ON build bench_train
  (($#)) || set -- --markdown docs/performance-training.md
  "$build/bin/bench_train" "$@"
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
