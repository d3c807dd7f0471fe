#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: install_test.sh WAY BUILD SOURCE [CMAKE ARGUMENT...]
# Uses the library as another project would, in one WAY, in a folder that is removed again:
#   tree              what is installed lies where it should, and is not much larger than it was
#   find_package      installed, by CMake
#   pkg_config        installed and moved elsewhere, by pkg-config and a compiler
#   onnx_apart        what does not use ONNX is built by the same commands as without it
#   compile_time      a small program, in seconds; not a default test, since it measures time
#   headers           aclgrad.h brings no other library's headers
#   each_header       every public header stands alone
#   folders           a program is built and run from the folders of the vendor's toolkit (make-toolkit)
#   configure         add_subdirectory and FetchContent configure, with the library alone in them
#   add_subdirectory, fetch_content   and are built (minutes)
#   shared, static    the whole library as shared or as static ones, installed, by CMake (minutes)
#   fetched           static, with the libraries that it needs fetched, as if this machine had none of them
#                     (minutes; left out without a network, unless the arguments say where they lie:
#                     -DFETCHCONTENT_SOURCE_DIR_FMT=..., _HWY, _NLOHMANN_JSON)
#   deb               Debian packages, made from a source package, accepted by lintian, unpacked, by CMake
#                     and by pkg-config (minutes)
#   toolkit           framework, autograd and examples on the libraries of another toolkit, for which
#                     the installed libraries stand in, without the extension's header (minutes)
set -euo pipefail
way=$1
build=$2
source=$3
arguments=("${@:4}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
consumer=$source/tests/install/consumer
export PKG_CONFIG_PATH=
# With it, what one way has compiled a compiler cache knows again in the next.
! command -v ninja >/dev/null || export CMAKE_GENERATOR=Ninja

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# install_tree BUILD: installs into $work/prefix.
install_tree() {
  cmake --install "$1" --prefix "$work/prefix" --strip >"$work/install.log"
  pkgconfig=$(dirname "$(find "$work/prefix" -name aclgrad.pc)")
}

# Where the library is built once more: how it is put together depends neither on optimising nor on
# instruction sets.
quickly=(-DCMAKE_BUILD_TYPE=None "-DACLGRAD_SKIPPED_TARGETS=HWY_AVX2|HWY_AVX3")

# consume WAY [CMAKE ARGUMENT...]: configures the consumer, builds and runs it.
consume() {
  cmake -S "$consumer" -B "$work/consumer" -DCMAKE_BUILD_TYPE=Release -DCONSUMER_WAY="$1" \
    "${@:2}" >"$work/configure.log" || { cat "$work/configure.log"; fail "configure ($1)"; }
  cmake --build "$work/consumer" --parallel "$(nproc)" >"$work/build.log" ||
    { cat "$work/build.log"; fail "build ($1)"; }
  run_programs "$work/consumer"
}

run_programs() {
  "$1/train" || fail "the trained program"
  "$1/host" || fail "the host program"
  [[ ! -e $1/check_c ]] || "$1/check_c" || fail "the program that checks"
  [[ ! -e $1/exchange ]] || (cd "$1" && ./exchange) || fail "the program that exchanges ONNX"
}

# With the flags that pkg-config gives.
compile_by_pkg_config() {
  local cxx=${CXX:-c++}
  # shellcheck disable=SC2046
  $cxx "$consumer/train.cpp" -o "$work/train" \
    $(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs aclgrad)
  # shellcheck disable=SC2046
  $cxx "$consumer/../host/host.cpp" -o "$work/host" \
    $(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs aclgrad-ascend)
  # shellcheck disable=SC2046
  [[ ! -e $1/aclgrad-onnx.pc ]] || $cxx "$consumer/exchange.cpp" -o "$work/exchange" \
    $(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs aclgrad-onnx aclgrad)
  run_programs "$work"
}

# What is installed with the tools, from C.
check_from_c() {
  local cxx=${CXX:-c++}
  # shellcheck disable=SC2046
  $cxx -x c "$consumer/../host/check.cpp" -o "$work/check" \
    $(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs aclgrad-gradcheck-c)
  "$work/check" >"$work/log" || { cat "$work/log"; fail "gradcheck from C"; }
}

# processor_time COMMAND...: seconds, the least of three runs.
processor_time() {
  local TIMEFORMAT=%U i
  for i in 1 2 3; do { time "$@" >/dev/null; } 2>&1; done | sort -n | head -1
}

# A program of a few lines is compiled and linked in less than 2 seconds, or, on a slow machine, in less
# than eight times what the standard library's streams take.
compile_times() {
  local cxx=${CXX:-c++} flags small streams
  flags=$(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs aclgrad)
  echo '#include <iostream>
    int main() { std::cout << "Hello\n"; }' >"$work/streams.cpp"
  streams=$(processor_time $cxx "$work/streams.cpp" -o "$work/streams")
  # shellcheck disable=SC2086
  small=$(processor_time $cxx "$consumer/../host/hello.cpp" -o "$work/hello" $flags)
  "$work/hello" >"$work/log" || fail "the smallest program"
  echo "a small program: compiled and linked in $small s of processor time (one of streams: $streams)"
  awk -v small="$small" -v streams="$streams" 'BEGIN { exit !(small < 2 || small < 8 * streams) }' ||
    fail "it takes too long"
}

# The compiler of a build and its processor: "GNU 12 x86_64".
compiler_of() {
  sed -n 's/^set(CMAKE_CXX_COMPILER_\(ID\|VERSION\|ARCHITECTURE_ID\) "\([^".]*\).*/\1 \2/p' \
    "$1"/CMakeFiles/*/CMakeCXXCompiler.cmake |
    awk '$1 == "ID" {id = $2} $1 == "VERSION" {version = $2} END {printf "%s %s ", id, version}'
  uname -m
}

# check_sizes BUILD SHARED TWIN: compares the bytes of the shared libraries, and of gradcheck for C, with
# what an optimised build by this compiler had (sizes.txt), and allows an eighth more: something was
# linked in that should not be there. Compilers differ by more than that, so those that the file does
# not know are not compared.
check_sizes() {
  local compiler recorded shared twin
  compiler=$(compiler_of "$1")
  echo "shared libraries, stripped: $2 bytes, and $3 of gradcheck for C ($compiler)"
  grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Release$' "$1/CMakeCache.txt" || return 0
  ! grep -q '^ACLGRAD_SANITIZER:[A-Z]*=.' "$1/CMakeCache.txt" || return 0
  recorded=$(sed -n "s/^$compiler: //p" "$source/tests/install/sizes.txt")
  [[ -n $recorded ]] || return 0
  read -r shared twin <<<"$recorded"
  (($2 <= shared + shared / 8 && $3 <= twin + twin / 8)) ||
    fail "they were $shared and $twin bytes; what made them larger, and should it? If so, write the sizes into sizes.txt"
}

# Another build of the whole library, with these options.
build_library() {
  cmake -S "$source" -B "$work/build" "${quickly[@]}" -DACLGRAD_BUILD_TESTS=OFF \
    -DACLGRAD_BUILD_EXAMPLES=OFF -DACLGRAD_BUILD_TOOLS=OFF "$@" >"$work/log"
  cmake --build "$work/build" --parallel "$(nproc)" >"$work/log" || { cat "$work/log"; fail "build"; }
  install_tree "$work/build"
}

case $way in
  tree)
    install_tree "$build"
    for library in ascendcl nnopbase opapi hccl; do
      [[ $(find "$work/prefix" -name "lib$library.so") == */aclgrad/* ]] ||
        fail "lib$library.so does not lie in a folder of its own"
    done
    [[ ! -e $work/prefix/include/acl ]] || fail "the C headers would shadow the vendor's"
    # What programs run with, and the tool's twin for C, which has the contracts in it.
    bytes=$(find "$work/prefix" -name '*.so*' -not -name '*gradcheck_c*' -type f -printf '%s\n' |
      awk '{s += $1} END {print s}')
    twin=$(find "$work/prefix" -name 'libaclgrad_gradcheck_c.so' -printf '%s\n')
    check_sizes "$build" "$bytes" "$twin"
    "$work/prefix/bin/aclgrad-gradcheck" --op selu --shape 4 >"$work/log" || { cat "$work/log"; fail "tool"; }
    ;;
  find_package)
    install_tree "$build"
    consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"
    # What is shipped runs without the installation.
    cmake --install "$work/consumer" --prefix "$work/ship" --strip >"$work/log" || { cat "$work/log"; fail "ship"; }
    mv "$work/prefix" "$work/gone"
    env -i "$work/ship/train" || fail "the program that was shipped"
    ;;
  pkg_config)
    install_tree "$build"
    mv "$work/prefix" "$work/moved"
    compile_by_pkg_config "${pkgconfig/prefix/moved}"
    check_from_c "${pkgconfig/prefix/moved}"
    ;;
  onnx_apart)
    # By the same commands the same bytes. The folders may be called like anything.
    [[ -f $build/build.ninja ]] || exit 0
    ninja -C "$build" -t commands train_digits | sed "s#$build##g; s#$source##g" >"$work/commands"
    [[ $(wc -l <"$work/commands") -gt 50 ]] || fail "train_digits is made by few commands"
    ! grep -im 1 'onnx\|protobuf' "$work/commands" || fail "a program without ONNX is built with it"
    ;;
  compile_time)
    install_tree "$build"
    compile_times "$pkgconfig"
    ;;
  headers)
    install_tree "$build"
    include=$work/prefix/include
    flags=(-std=c++20 -Wall -Wextra -Werror -I"$include" -I"$include/aclgrad/vendor")
    echo '#include <aclgrad/aclgrad.h>' >"$work/umbrella.cpp"
    foreign=$(${CXX:-c++} "${flags[@]}" -M "$work/umbrella.cpp" | tr ' ' '\n' |
      grep -E '/(fmt|nlohmann|hwy|CLI)/' || true)
    [[ -z $foreign ]] || fail "aclgrad.h includes $foreign"
    ;;
  each_header)
    install_tree "$build"
    include=$work/prefix/include
    flags=(-std=c++20 -Wall -Wextra -Werror -I"$include" -I"$include/aclgrad/vendor")
    for header in $(cd "$include" && find aclgrad -name '*.h' -not -path '*/vendor/*'); do
      echo "#include <$header>" >"$work/one.cpp"
      ${CXX:-c++} "${flags[@]}" -fsyntax-only "$work/one.cpp" || fail "$header does not stand alone"
    done
    ;;
  configure)
    for each in add_subdirectory fetch_content; do
      cmake -S "$consumer" -B "$work/$each" -DCONSUMER_WAY=$each -DACLGRAD_SOURCE="$source" \
        >"$work/log" || { cat "$work/log"; fail "$each"; }
      [[ ! -e $work/$each/aclgrad/tests ]] || fail "$each builds the tests"
    done
    ;;
  add_subdirectory | fetch_content)
    consume "$way" "${quickly[@]}" -DACLGRAD_SOURCE="$source"
    ;;
  shared | static)
    if [[ $way == shared ]]; then build_library -DBUILD_SHARED_LIBS=ON; else build_library -DBUILD_SHARED_LIBS=OFF; fi
    consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"
    compile_by_pkg_config "$pkgconfig"
    if [[ $way == static ]]; then
      ! ldd "$work/consumer/train" | grep -q 'aclgrad\|ascendcl\|opapi' || fail "a shared library is needed"
      # Whichever part of the program is initialised first, every part must see the switches.
      ACLGRAD_CHECK=all ACLGRAD_LOG=text "$work/consumer/host" 2>"$work/log" >"$work/out"
      grep -q 'aclnnSeluBackward ran = 0' "$work/log" || { cat "$work/log"; fail "the log is silent"; }
    fi
    ;;
  fetched)
    if ((!${#arguments[@]})) && ! timeout 20 git ls-remote -q https://github.com/fmtlib/fmt 9.1.0 \
      >/dev/null 2>&1; then
      echo "fetched: left out, as there is no way to github.com from here"
      exit
    fi
    hidden=()
    for package in fmt hwy nlohmann_json; do hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
    build_library -DBUILD_SHARED_LIBS=OFF -DACLGRAD_FETCH_DEPENDENCIES=ON "${hidden[@]}" "${arguments[@]}"
    consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"
    compile_by_pkg_config "$pkgconfig"
    # One file that needs no other.
    # shellcheck disable=SC2046
    ${CXX:-c++} -static "$consumer/train.cpp" -o "$work/alone" \
      $(PKG_CONFIG_PATH=$pkgconfig pkg-config --static --cflags --libs aclgrad) 2>"$work/log" ||
      { cat "$work/log"; fail "a static program"; }
    ! ldd "$work/alone" >/dev/null 2>&1 || fail "a static program needs shared libraries"
    (cd "$work" && ./alone >/dev/null) || fail "a static program does not run"
    ;;
  deb)
    (cd "$source" && ./dev package) >"$work/log" 2>&1 || { tail -50 "$work/log"; fail "the packages"; }
    for package in "$source"/build/packages/*.deb; do
      echo "$(basename "$package"): $(dpkg-deb -f "$package" Depends)"
      dpkg-deb -x "$package" "$work/root"
    done
    consume find_package -DCMAKE_PREFIX_PATH="$work/root/usr"
    pkgconfig=$(dirname "$(find "$work/root" -name aclgrad.pc)")
    compile_by_pkg_config "$pkgconfig"
    check_from_c "$pkgconfig"
    PYTHONPATH=$work/root/usr/lib/python3/dist-packages /usr/bin/python3 "$source/examples/python/sine.py" |
      grep 'step 4000' || fail "a program of Python"
    ;;
  folders)
    install_tree "$build"
    maker=$(find "$work/prefix" -name make-toolkit)
    "$maker" "$work/Ascend" >"$work/variables"
    "$maker" "$work/Ascend" >"$work/variables" || fail "a second time"
    home=$work/Ascend/cann-9.0.0
    eval "$(cat "$work/variables")"
    [[ $ASCEND_TOOLKIT_HOME == "$home" ]] || fail "ASCEND_TOOLKIT_HOME is $ASCEND_TOOLKIT_HOME"
    for path in cann-9.0.0/include/{acl/acl,aclnn/acl_meta,aclnnop/aclnn_add,hccl/hccl}.h \
      cann-9.0.0/lib64/lib{ascendcl,nnopbase,opapi,opapi_nn,opapi_math,hccl}.so \
      cann-9.0.0/opp cann-9.0.0/python/site-packages cann-9.0.0/acllib/include/acl/acl.h \
      ascend-toolkit/latest/{aarch64,x86_64}-linux/lib64/libaclnn_{math,ops_infer}.so \
      ascend-toolkit/latest/fwkacllib/lib64/libascendcl.so latest/include driver/lib64/driver/libascend_hal.so; do
      [[ -e $work/Ascend/$path ]] || fail "there is no $path"
    done
    for name in opapi opapi_nn opapi_math; do
      nm -D --defined-only "$home/lib64/lib$name.so" | grep ' [TW] aclnnAddGetWorkspaceSize$' >"$work/log" ||
        fail "lib$name.so does not define aclnnAddGetWorkspaceSize"
    done
    ${CXX:-c++} "$consumer/../host/host.cpp" -o "$work/host" -I"$home/include" -L"$home/lib64" \
      -Wl,--no-as-needed -lruntime -lnnopbase -lopapi -ltiling -lplatform -ltiling_api -lacl_op_compiler
    LD_LIBRARY_PATH=$home/lib64 "$work/host" >"$work/log" || { cat "$work/log"; fail "the host program"; }
    mkdir -p "$work/taken/cann-9.0.0/lib64"
    ! "$maker" "$work/taken" >"$work/log" 2>&1 || fail "a folder that is there is replaced"
    grep -q 'lib64 is there already' "$work/log" || { cat "$work/log"; fail "what is there is not named"; }
    "$maker" "$work/other" 8.5.0 >"$work/variables"
    [[ -e $work/other/cann-8.5.0/lib64/libopapi.so ]] || fail "another version"
    ;;
  toolkit)
    install_tree "$build"
    mkdir -p "$work/toolkit"
    cp -r "$work/prefix/include/aclgrad/vendor" "$work/toolkit/include"
    rm "$work/toolkit/include/aclgrad_ext.h"
    cp -r "$work/prefix/lib/aclgrad" "$work/toolkit/lib64"
    cmake -S "$source" -B "$work/build" "${quickly[@]}" \
      -DACLGRAD_CANN_TOOLKIT="$work/toolkit" >"$work/log" || { cat "$work/log"; fail "configure"; }
    programs=(test_graph test_autograd aclnn_selu_backward backprop_step_by_step)
    cmake --build "$work/build" --parallel "$(nproc)" --target specification "${programs[@]}" \
      >"$work/log" ||
      { cat "$work/log"; fail "build"; }
    for program in "${programs[@]}"; do
      ldd "$work/build/bin/$program" | grep opapi | grep -q "$work/toolkit" || fail "$program: libopapi"
      "$work/build/bin/$program" >"$work/log" || { cat "$work/log"; fail "$program"; }
    done
    ;;
  *)
    fail "no such way: $way"
    ;;
esac
echo "$way: ok"
