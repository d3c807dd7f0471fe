#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: load_test.sh by_name LOADER LIBRARIES | installed LOADER BUILD
#        load_test.sh from_c LIBRARIES INCLUDE | stand_in LIBRARIES INCLUDE | habits LIBRARIES INCLUDE
#        load_test.sh other_names BUILD INCLUDE
# The three libraries are found when a program runs, by the vendor's names:
#   by_name   dlopen and dlsym alone, every operator that the library exports
#   installed the same with what the build installs, in another folder
#   from_c    a C11 program that is linked with the runtime and finds operators by name
#   habits    a C11 program of all headers that does what programs of others do (client_habits.c)
#   other_names  linked, loaded and needed under the other names that the vendor's libraries have
#   stand_in  a program that was linked with other libraries of the same names and interface
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../support/operators.sh"
way=$1
shift
compiler=${CXX:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags=(-Wall -Wextra -Wpedantic -Werror)

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# drive_all LOADER LIBRARIES
drive_all() {
  if readelf -d "$1" | grep -E 'NEEDED.*(ascendcl|nnopbase|opapi)'; then
    fail "the loader is linked with what it should find by name"
  fi
  # shellcheck disable=SC2046  # names
  LD_LIBRARY_PATH=$2 "$1" $(operators_of "$2/libopapi.so")
}

case $way in
  by_name)
    drive_all "$1" "$2"
    ;;
  installed)
    cmake --install "$2" --prefix "$work/prefix" --component vendor >"$work/log"
    drive_all "$1" "$(dirname "$(find "$work/prefix" -name libopapi.so -not -path '*/record/*')")"
    ;;
  from_c)
    $compiler -x c -std=c11 "${flags[@]}" -Wno-pedantic -I"$2" -c "$here/c_host.c" -o "$work/host.o"
    $compiler "$work/host.o" -o "$work/host" -L"$1" -lascendcl -ldl -lm
    LD_LIBRARY_PATH=$1 "$work/host"
    ;;
  habits)
    # Each header of the operators, in C; in C++ install_test.sh takes each alone.
    (cd "$2" && printf '#include "%s"\n' aclnn/*.h aclnnop/*.h acl/*.h) >"$work/all.c"
    for standard in c99 c11; do
      $compiler -x c -std=$standard "${flags[@]}" -I"$2" -fsyntax-only "$work/all.c"
    done
    $compiler -x c -std=c11 "${flags[@]}" -I"$2" -c "$here/client_habits.c" -o "$work/habits.o"
    $compiler "$work/habits.o" -o "$work/habits" -L"$1" -lopapi -lnnopbase -lascendcl
    LD_LIBRARY_PATH=$1 "$work/habits"
    # What is destroyed stays destroyed, and the tasks read nothing of it.
    : >"$work/found"
    ACLGRAD_CHECK=handles,uninit ACLGRAD_CHECK_FILE=$work/found LD_LIBRARY_PATH=$1 "$work/habits"
    ! grep '^aclgrad: uninit' "$work/found" || fail "tasks read what was never written"
    grep -q '^aclgrad: handles: aclDestroyAclOpExecutor' "$work/found" || fail "what was destroyed twice is not told"
    ;;
  other_names)
    names=(aclnn_math aclnn_ops_infer opapi_math opapi_nn acl_op_compiler ascend_hal platform runtime tiling)
    cmake --install "$1" --prefix "$work/prefix" --component vendor >"$work/log"
    mkdir "$work/stubs"
    for name in "${names[@]}"; do
      $compiler -x c -shared -fPIC /dev/null -o "$work/stubs/lib$name.so" -Wl,-soname,"lib$name.so"
    done
    $compiler -x c "${flags[@]}" - -o "$work/loads" <<'END'
#include <dlfcn.h>
int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    void* library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!library || !dlsym(library, argv[i + 1])) return i;
  }
  return 0;
}
END
    for folder in "$1/lib" "$(dirname "$(find "$work/prefix" -name libopapi.so -not -path '*/record/*')")"; do
      $compiler -std=c++17 "${flags[@]}" -I"$2" "$here/../install/host/host.cpp" -o "$work/linked" \
        -L"$folder" -lnnopbase "${names[@]/#/-l}"
      LD_LIBRARY_PATH=$folder "$work/linked" >/dev/null || fail "linked with $folder"
      $compiler -std=c++17 "${flags[@]}" -I"$2" "$here/../install/host/host.cpp" -o "$work/needs" \
        -L"$folder" -lopapi -lnnopbase -lascendcl -Wl,--no-as-needed -L"$work/stubs" "${names[@]/#/-l}"
      LD_LIBRARY_PATH=$folder "$work/needs" >/dev/null || fail "needing those of $folder"
      LD_LIBRARY_PATH=$folder "$work/loads" libaclnn_math.so aclnnAdd libaclnn_ops_infer.so aclnnSelu \
        libacl_op_compiler.so aclrtMalloc libopapi_nn.so aclnnAddGetWorkspaceSize libopapi_math.so \
        aclCreateTensor libruntime.so aclrtCreateStream libascend_hal.so aclrtFree || fail "loaded from $folder"
    done
    ;;
  stand_in)
    # Libraries that only have the names; no two files and no paths are shared with the real ones.
    mkdir "$work/stubs"
    for library in ascendcl nnopbase opapi; do
      nm -D --defined-only "$1/lib$library.so" | awk '{print $3}' | grep -v '^aclgrad' |
        sed 's/.*/int &(void); int &(void) { return 4711; }/' >"$work/$library.c"
      $compiler -x c -fno-builtin -shared -fPIC "$work/$library.c" -o "$work/stubs/lib$library.so" \
        -Wl,-soname,"lib$library.so"
    done
    $compiler -std=c++17 "${flags[@]}" -I"$2" "$here/../install/host/host.cpp" -o "$work/host" \
      -L"$work/stubs" -lascendcl -lnnopbase -lopapi
    if LD_LIBRARY_PATH=$work/stubs "$work/host" >/dev/null 2>&1; then
      fail "the program does not notice that its libraries do nothing"
    fi
    LD_LIBRARY_PATH=$1 "$work/host"
    ;;
esac
echo "$way: works"
