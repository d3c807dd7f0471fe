// SPDX-License-Identifier: Apache-2.0
// block 1
