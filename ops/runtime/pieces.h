// SPDX-License-Identifier: Apache-2.0
// Work for the threads of aclgradRunPieces, with other work beside it.
#ifndef ACLGRAD_OPS_RUNTIME_PIECES_H_
#define ACLGRAD_OPS_RUNTIME_PIECES_H_

#include <cstdint>

namespace aclgrad::runtime {

using PieceBody = void (*)(void* context, int64_t piece);
using RangeBody = void (*)(void* context, int64_t begin, int64_t end);

// Calls body(context, i) for every i below count, each on whichever thread is done first with its
// part of the rest, in any order. The body must not throw.
struct Beside {
  int64_t count = 0;
  PieceBody body = nullptr;
  void* context = nullptr;
};

// As aclgradRunPieces and aclgradRunShares.
void run_pieces(int64_t pieces, PieceBody body, void* context, const Beside& beside);
void run_shares(int64_t units, RangeBody body, void* context, const Beside& beside);

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_PIECES_H_
