#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# usage: symbols_test.sh PROGRAM LIBRARY...
# Which functions of the C library's libm, with which the program is linked, the libraries call: their last bits
# differ between C libraries, and, in one, between processors. Every one is exact by its definition, or stands
# below with what of a training run may depend on it.
set -euo pipefail
libm=$(ldd "$1" | awk '$1 ~ /^libm\./ {print $3}')
shift
[[ -n $libm ]] || { echo "the C library has no libm of its own here"; exit 77; }

# Exact: the result is a number that the standard prescribes, or correctly rounded; or no number at all.
exact=' fegetenv fegetround fesetenv fesetround ceil ceilf copysign fabs floor floorf fma fmaf fmax fmin fmod fmodf frexp ilogb ldexp llrint llround logb
 lrint lround modf modff nearbyint nearbyintf nextafter nextafterf remainder rint rintf round roundf scalbn sqrt
 sqrtf trunc truncf '
exact=${exact//$'\n'/ }

# library:function: who calls it.
known='
libopapi:pow      of 0, infinities and NaN only, whose results are exact (scalar_math.cpp)
libopapi:cabs     complex tensors, which nothing is trained in
libopapi:ccos     complex tensors
libopapi:cexp     complex tensors
libopapi:clog     complex tensors
libopapi:cpow     complex tensors
libopapi:csin     complex tensors
libopapi:csqrt    complex tensors
libaclgrad_core:log     normal numbers for initial weights (data/random.cpp), the factor of a gradient of exp2
libaclgrad_core:cos     the same, schedule::cosine(), tables of positions
libaclgrad_core:sin     tables of positions
libaclgrad_core:sincos  tables of positions
libaclgrad_core:exp     sampling from scores (nn/generate.cpp)
libaclgrad_core:pow     schedule::step(), schedule::polynomial(), tables of positions
'

names() { # of functions that a file does not define itself
  if [[ $1 == *.a ]]; then nm --undefined-only "$1" 2>/dev/null; else nm -D --undefined-only "$1"; fi |
    awk '$1 == "U" {sub(/@.*/, "", $2); print $2}' | sort -u
}

of_libm=$(nm -D --defined-only "$libm" | awk '{sub(/@.*/, "", $3); print $3}' | sort -u)
[[ $(wc -l <<<"$of_libm") -gt 300 ]] || { echo "$libm has no functions to look for"; exit 1; }
broken=0
for library in "$@"; do
  name=$(basename "$library")
  name=${name%%.*}
  called=$(comm -12 <(names "$library") <(echo "$of_libm"))
  for function in $called; do
    [[ $exact == *" $function "* ]] && continue
    grep -q "^$name:$function " <<<"$known" && continue
    echo "$name calls $function() of the C library: its last bit is not the same everywhere"
    broken=1
  done
  echo "$name: $(wc -w <<<"$called") functions of libm"
done
exit $broken
