// SPDX-License-Identifier: Apache-2.0
// Nothing: what the target of the precompiled headers consists of.
int main() { return 0; }
