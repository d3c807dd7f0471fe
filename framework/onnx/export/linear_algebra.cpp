// SPDX-License-Identifier: Apache-2.0
// Products of vectors, diagonals and determinants. What solves equations ONNX does not have.
#include "aclgrad/ops/linalg.h"

#include <cstdlib>
#include <string>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

Term outer_of(const Term& a, const Term& b) { return unsqueeze(a, {1}) * unsqueeze(b, {0}); }

// beta c + alpha product; with a beta of 0 c does not count.
Term added(const Term& c, const Term& product, const AddmmAttributes& a) {
  return a.beta == 0 ? product * a.alpha : product * a.alpha + c * a.beta;
}

// a[1] b[2] - a[2] b[1] and so on: elements one and two places on, around.
Term cross_of(const Term& a, const Term& b, std::int64_t axis) {
  const auto turned = [axis](const Term& x, const Ints& places) {
    return op("Gather", {x, ints(x, places)}, {{"axis", axis}});
  };
  return turned(a, {1, 2, 0}) * turned(b, {2, 0, 1}) - turned(a, {2, 0, 1}) * turned(b, {1, 2, 0});
}

// In the order of rows, the elements of a diagonal are as far from each other as a row is long, and
// one more.
Term diagonal_of(const DiagonalAttributes& a, const Call& call) {
  const std::string what = "a diagonal's length";
  const Extents extents = call.extents(0);
  call.fixed(extents[0], what);
  const std::int64_t columns = call.fixed(extents[1], what);
  const std::int64_t count = call.fixed(call.output_extents()[0], what);
  const std::int64_t first = a.diagonal >= 0 ? a.diagonal : -a.diagonal * columns;
  Ints places;
  for (std::int64_t k = 0; k < count; ++k) places.push_back(first + k * (columns + 1));
  const Term line = reshape(call.input(0), {-1});
  return op("Gather", {line, ints(line, places)}, {{"axis", std::int64_t{0}}});
}

// A vector padded to the matrix's size beside itself, where the diagonal is; 0 elsewhere.
Term matrix_of(const DiagonalAttributes& a, const Call& call) {
  const std::int64_t size = call.fixed(call.output_extents()[0], "a diagonal's length");
  const Term x = call.input(0);
  const Term padded = op("Pad", {x, ints(x, {0, std::abs(a.diagonal)}), number(x, 0)});
  Tensor places = Tensor::zeros({size, size}, DType::boolean);
  for (std::int64_t row = 0; row < size; ++row) {
    const std::int64_t column = row + a.diagonal;
    if (column >= 0 && column < size) places.set({row, column}, 1);
  }
  // Above the main diagonal an element's number is that of its row, below it that of its column.
  return where(constant(x, places), unsqueeze(padded, {a.diagonal >= 0 ? 1 : 0}), number(x, 0));
}

}  // namespace

void add_linear_algebra(Table& table) {
  table.same<DotOp>("MatMul");
  table.same<MvOp>("MatMul");
  table.add<AddmvOp>([](auto& a, Call& call) {
    return added(call.input(0), op("MatMul", {call.input(1), call.input(2)}), a);
  });
  table.add<OuterOp>([](auto&, Call& call) {
    const std::vector<Term> both = call.promoted();
    return outer_of(both[0], both[1]);
  });
  table.add<AddrOp>([](auto& a, Call& call) {
    return added(call.input(0), outer_of(call.input(1), call.input(2)), a);
  });
  table.add<CrossOp>([](auto& a, Call& call) {
    const std::vector<Term> both = call.promoted();
    // From behind: the shapes broadcast.
    const auto rank = static_cast<std::int64_t>(call.output_shape().rank());
    return call.narrowed(cross_of(widened(both[0]), widened(both[1]), a.dim - rank));
  });
  table.add<TraceOp>([](auto&, Call& call) {
    return call.narrowed(op("Einsum", {call.wide(0)}, {{"equation", std::string("ii->")}}));
  });
  table.add<DiagOp>([](auto& a, Call& call) {
    return call.rank(0) == 1 ? matrix_of(a, call) : diagonal_of(a, call);
  });
  // ONNX has the determinant itself, which overflows sooner.
  table.add<SlogdetOp>([](auto&, Call& call) {
    const Term det = op("Det", {call.input(0)});
    return std::vector<Term>{op("Sign", {det}), op("Log", {op("Abs", {det})})};
  });
  table.refused<InverseOp, SolveTriangularOp, QrOp>(
      "ONNX has no inverses, no factors of matrices, and nothing that solves equations");
}

}  // namespace aclgrad::onnx::saving
