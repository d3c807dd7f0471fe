// SPDX-License-Identifier: Apache-2.0
// A library that has none of the interface's functions itself and needs those that have, as a
// vendor's libopapi.so.
