# SPDX-License-Identifier: Apache-2.0
# The verbs of ./dev that train: demo and the networks.

#: ./dev demo [options]    train on handwritten digits; pictures and weights go to out/digits
#:                         (options of train_digits; see ./dev demo --help)
verb_demo() {
  build_example train_digits
  "$build/bin/train_digits" "$@"
}

#: ./dev live [network]    backprop in a browser, to step through, edit and check: xor, spirals, digits,
#:                         deep or transformer (options of live; see ./dev live --help)
verb_live() {
  build_example live
  "$build/bin/live" "$@"
}

#: ./dev wasm              the networks of ./dev live as pages that need no server and no installation: out/wasm
#:                         (Emscripten 3.1.69 or newer; where the system's is older, in a Debian 13 that is
#:                         made for it, as root)
verb_wasm() {
  local there
  there=$(emcc --version 2>/dev/null | sed -n '1s/.*) \([0-9.]*\).*/\1/p') || true
  : "${there:=$(apt-cache policy emscripten 2>/dev/null | sed -n 's/.*Candidate: \([0-9.]*\).*/\1/p' || true)}"
  # The C++ library of older ones has no algorithms of ranges.
  if [[ -n $there && $(printf '%s\n' 3.1.69 "$there" | sort -V | head -n 1) != 3.1.69 ]]; then
    echo "Emscripten is $there here, which is too old: the pages are made in a Debian 13, in build/system-trixie"
    install_packages debootstrap
    bash tests/machines/system.sh trixie . build/system-trixie kept ./dev wasm
    mkdir -p out && rm -rf out/wasm && cp -r build/system-trixie/opt/kept/out/wasm out/wasm
    return
  fi
  install_packages emscripten cmake ninja-build nodejs libfmt-dev libhwy-dev nlohmann-json3-dev
  local build=build/wasm output
  output=$(emcmake cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release 2>&1) ||
    explain_failure "$build" "configuring" "$output"
  compile pages
  rm -rf out/wasm && mkdir -p out && cp -r "$build/pages" out/wasm
  ls -l out/wasm
}

# Builds an example, fetches its pictures, unless the options name others or ask for help, and runs it.
on_pictures() { # EXAMPLE mnist|fashion OPTIONS...
  local example=$1 data=$2
  shift 2
  build_example "$example"
  case " ${*//=/ } " in
    *' --help '* | *' -h '*) data= ;;
    *' --data mnist '*) data=mnist ;;
    *' --data fashion '*) data=fashion ;;
    *' --data '*) data= ;;
  esac
  case $data in
    mnist) bash examples/train_mnist/fetch_mnist.sh out/mnist-data ;;
    fashion) bash examples/mobilenet/fetch_fashion_mnist.sh out/fashion-mnist-data ;;
  esac
  "$build/bin/$example" "$@"
}

# Runs an example that reads a text.
on_text() { # EXAMPLE OPTIONS...
  local example=$1
  shift
  build_example "$example"
  case " ${*//=/ } " in
    *' --help '* | *' -h '* | *' --data '* | *' --task adding ' | *' --task adding --'*) ;;
    *) bash examples/transformer/fetch_text.sh out/moby-dick ;;
  esac
  "$build/bin/$example" "$@"
}

#: ./dev mnist [options]   fetch MNIST (11 MB), then train on it with four activations; results go to
#:                         out/mnist (options of train_mnist)
verb_mnist() { on_pictures train_mnist mnist "$@"; }

#: ./dev self_normalizing [options]
#:                         SELU beside ReLU: 8 to 32 layers deep on digits (seconds), and on MNIST
#:                         (two minutes); results go to out/self_normalizing (options of
#:                         self_normalizing; see --help)
verb_self_normalizing() { on_pictures self_normalizing mnist "$@"; }

#: ./dev mobilenet [options]
#:                         a small MobileNetV3 with Hardswish, and with ReLU, on Fashion-MNIST (which it
#:                         fetches, 30 MB; ten minutes each); results go to out/mobilenet (options of
#:                         mobilenet; see --help)
verb_mobilenet() { on_pictures mobilenet fashion "$@"; }

#: ./dev convolution [options]
#:                         a convolutional network with ELU, and with ReLU, on MNIST or (--data fashion)
#:                         Fashion-MNIST, which it fetches (up to 20 minutes each); results go to
#:                         out/convolution (options of convolution; see --help)
verb_convolution() { on_pictures convolution mnist "$@"; }

#: ./dev finetune [options]
#:                         a network that comes as ONNX (--model FILE, or one made here of MNIST) gets a new
#:                         head, is trained on Fashion-MNIST, and goes as ONNX; results go to out/finetune
#:                         (options of finetune; see --help)
verb_finetune() {
  install_packages "${onnx_packages[@]}"
  local ACLGRAD_CMAKE_OPTIONS="${ACLGRAD_CMAKE_OPTIONS-} -DACLGRAD_BUILD_ONNX=ON"
  case " ${*//=/ } " in
    *' --help '* | *' -h '* | *' --model '* | *' --first-data '*) ;;
    *) bash examples/train_mnist/fetch_mnist.sh out/mnist-data ;;
  esac
  on_pictures finetune fashion "$@"
}

#: ./dev recurrent [options]
#:                         a gated recurrent unit learns to add two of a hundred numbers (a minute), and
#:                         Moby Dick, which it fetches (two minutes); results go to out/recurrent
#:                         (options of recurrent; see --help)
verb_recurrent() { on_text recurrent "$@"; }

#: ./dev transformer [options]
#:                         fetch Moby Dick (1.5 MB), train a transformer with GEGLU on its characters
#:                         (three minutes) and let it write a paragraph; results go to out/transformer
#:                         (options of transformer; see --help)
verb_transformer() { on_text transformer "$@"; }

#: ./dev translate [options]
#:                         an encoder and a decoder with cross-attention translate dates in words, with
#:                         mistakes in typing, into digits (two minutes); results go to out/translate
#:                         (options of translate; see --help)
verb_translate() {
  build_example translate
  "$build/bin/translate" "$@"
}

#: ./dev spoken [options]  fetch digits that eight voices speak (4 MB of packages), learn five of them by
#:                         convolutions and a long short-term memory (a minute), listen to the others; results
#:                         go to out/spoken (options of spoken; see --help)
verb_spoken() {
  build_example spoken
  case " ${*//=/ } " in
    *' --help '* | *' -h '* | *' --data '*) ;;
    *) bash examples/spoken/fetch_recordings.sh out/spoken-data ;;
  esac
  "$build/bin/spoken" "$@"
}
