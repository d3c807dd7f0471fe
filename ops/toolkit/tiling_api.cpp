// SPDX-License-Identifier: Apache-2.0
// libtiling_api.a, a static library that programs name to the linker and need nothing of.
