#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: ccache.sh CCACHE COMPILER ARGUMENT...
# Compiles by a compiler cache, but for precompiled headers: what ccache preprocesses to look one up reads the
# one that is there already, so that it would find that one again, however the headers have changed.
for argument; do
  case $argument in
    *.gch | *.pch)
      shift
      exec "$@"
      ;;
  esac
done
# Macros that expand to the time do not matter, which it must know to cache what uses a precompiled header.
CCACHE_SLOPPINESS=pch_defines,time_macros exec "$@"
