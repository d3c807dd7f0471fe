// SPDX-License-Identifier: Apache-2.0
#include "tool/dense.h"

#include <algorithm>
#include <cmath>

#include "aclgrad/error.h"
#include "tool/chain.h"

namespace aclgrad::gradcheck::dense {
namespace {

// Place of the element of `from` that stands at place i of the broadcast `shape`.
std::size_t source(const Dims& from, const Dims& shape, std::size_t i) {
  const std::size_t added = shape.size() - from.size();
  std::size_t place = 0;
  std::size_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(shape[d]);
    const std::size_t at = i % extent;
    i /= extent;
    if (d < added) continue;
    const auto own = static_cast<std::size_t>(from[d - added]);
    if (own != 1) place += at * step;
    step *= own;
  }
  return place;
}

Array filled(const Dims& shape) {
  return {shape, std::vector<Number>(static_cast<std::size_t>(count_of(shape)), 0)};
}

}  // namespace

Array map(const Array& a, const Unary& f) {
  Array out = a;
  for (Number& value : out.values) value = f(value);
  return out;
}

Array zip(const Array& a, const Array& b, const Binary& f) {
  Array out = filled(broadcast_shape(a.shape, b.shape));
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] =
        f(a.values[source(a.shape, out.shape, i)], b.values[source(b.shape, out.shape, i)]);
  }
  return out;
}

Array expand(const Array& a, const Dims& shape) {
  Array out = filled(shape);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] = a.values[source(a.shape, shape, i)];
  }
  return out;
}

Array matmul(const Array& a, const Array& b, bool magnitudes) {
  const bool row = a.shape.size() == 1;
  const bool column = b.shape.size() == 1;
  Array left = a;
  Array right = b;
  if (row) left.shape.insert(left.shape.begin(), 1);
  if (column) right.shape.push_back(1);
  const std::int64_t rows = left.shape[left.shape.size() - 2];
  const std::int64_t inner = left.shape.back();
  const std::int64_t columns = right.shape.back();
  if (right.shape[right.shape.size() - 2] != inner) {
    throw ValueError("shapes " + dims_text(a.shape) + " and " + dims_text(b.shape) +
                     " do not multiply");
  }
  const Dims batch = broadcast_shape(Dims(left.shape.begin(), left.shape.end() - 2),
                                     Dims(right.shape.begin(), right.shape.end() - 2));
  const auto full = [&](std::int64_t m, std::int64_t n) {
    Dims shape = batch;
    shape.push_back(m);
    shape.push_back(n);
    return shape;
  };
  left = expand(left, full(rows, inner));
  right = expand(right, full(inner, columns));
  Array out = filled(full(rows, columns));
  const auto m = static_cast<std::size_t>(rows);
  const auto k = static_cast<std::size_t>(inner);
  const auto n = static_cast<std::size_t>(columns);
  for (std::size_t i = 0; i < out.values.size(); ++i) {
    const std::size_t matrix = i / (m * n);
    const std::size_t r = i / n % m;
    for (std::size_t j = 0; j < k; ++j) {
      const Number term =
          left.values[(matrix * m + r) * k + j] * right.values[(matrix * k + j) * n + i % n];
      out.values[i] += magnitudes ? std::abs(term) : term;
    }
  }
  if (column) out.shape.pop_back();
  if (row) out.shape.erase(out.shape.end() - (column ? 1 : 2));
  return out;
}

Dims normalized(const Dims& dims, std::size_t rank) {
  Dims all;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto front = static_cast<std::int64_t>(d);
    const bool named = std::any_of(dims.begin(), dims.end(), [&](std::int64_t dim) {
      return dim == front || dim + static_cast<std::int64_t>(rank) == front;
    });
    if (named || dims.empty()) all.push_back(front);
  }
  return all;
}

Array sum(const Array& a, const Dims& dims, bool keep, bool magnitudes) {
  Dims kept = a.shape;
  for (const std::int64_t d : dims) kept[static_cast<std::size_t>(d)] = 1;
  Array out = filled(kept);
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    Number& to = out.values[source(kept, a.shape, i)];
    to += magnitudes ? std::abs(a.values[i]) : a.values[i];
  }
  if (keep) return out;
  for (std::size_t d = dims.size(); d-- > 0;) {
    out.shape.erase(out.shape.begin() + static_cast<std::ptrdiff_t>(dims[d]));
  }
  return out;
}

}  // namespace aclgrad::gradcheck::dense
