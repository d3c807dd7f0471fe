// SPDX-License-Identifier: Apache-2.0
#include "ops/contract/dense.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace aclgrad::contract::dense {
namespace {

std::string text_of(const Shape& shape) {
  std::string text;
  for (const int64_t size : shape) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return (text.empty() ? "[" : text) + "]";
}

Array filled(const Shape& shape) {
  return {shape, std::vector<Number>(static_cast<size_t>(count_of(shape)), 0)};
}

}  // namespace

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      throw std::invalid_argument("shapes " + text_of(a) + " and " + text_of(b) +
                                  " do not broadcast");
    }
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

Array full(const Shape& shape, Number value) {
  return {shape, std::vector<Number>(static_cast<size_t>(count_of(shape)), value)};
}

size_t source(const Shape& from, const Shape& shape, size_t i) {
  const size_t added = shape.size() - from.size();
  size_t place = 0;
  size_t step = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<size_t>(shape[d]);
    const size_t at = i % extent;
    i /= extent;
    if (d < added) continue;
    const auto own = static_cast<size_t>(from[d - added]);
    if (own != 1) place += at * step;
    step *= own;
  }
  return place;
}

Array map(const Array& a, const Unary& f) {
  Array out = a;
  for (Number& value : out.values) value = f(value);
  return out;
}

Array zip(const Array& a, const Array& b, const Binary& f) {
  Array out = filled(broadcast_shape(a.shape, b.shape));
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] =
        f(a.values[source(a.shape, out.shape, i)], b.values[source(b.shape, out.shape, i)]);
  }
  return out;
}

Array generate(const Shape& shape, const At& f) {
  Array out = filled(shape);
  Shape position(shape.size(), 0);
  for (Number& value : out.values) {
    value = f(position);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++position[d] < shape[d]) break;
      position[d] = 0;
    }
  }
  return out;
}

Number at(const Array& a, const Shape& position) {
  int64_t place = 0;
  for (size_t d = 0; d < a.shape.size(); ++d) place = place * a.shape[d] + position[d];
  return a.values.at(static_cast<size_t>(place));
}

Array expand(const Array& a, const Shape& shape) {
  Array out = filled(shape);
  for (size_t i = 0; i < out.values.size(); ++i) {
    out.values[i] = a.values[source(a.shape, shape, i)];
  }
  return out;
}

Shape product_shape(const Shape& a, const Shape& b) {
  if (a.empty() || b.empty() || a.back() != b[b.size() < 2 ? 0 : b.size() - 2]) {
    throw std::invalid_argument("shapes " + text_of(a) + " and " + text_of(b) + " do not multiply");
  }
  const auto batch_of = [](const Shape& shape) {
    return Shape(shape.begin(),
                 shape.end() - static_cast<ptrdiff_t>(std::min<size_t>(2, shape.size())));
  };
  Shape shape = broadcast_shape(batch_of(a), batch_of(b));
  if (a.size() > 1) shape.push_back(a[a.size() - 2]);
  if (b.size() > 1) shape.push_back(b.back());
  return shape;
}

Array matmul(const Array& a, const Array& b, bool magnitudes) {
  Array out = filled(product_shape(a.shape, b.shape));
  // With vectors as matrices of one row or column.
  Array left = a;
  Array right = b;
  if (a.shape.size() == 1) left.shape.insert(left.shape.begin(), 1);
  if (b.shape.size() == 1) right.shape.push_back(1);
  const int64_t rows = left.shape[left.shape.size() - 2];
  const int64_t inner = left.shape.back();
  const int64_t columns = right.shape.back();
  const Shape batch = broadcast_shape(Shape(left.shape.begin(), left.shape.end() - 2),
                                      Shape(right.shape.begin(), right.shape.end() - 2));
  const auto full = [&](int64_t m, int64_t n) {
    Shape shape = batch;
    shape.push_back(m);
    shape.push_back(n);
    return shape;
  };
  left = expand(left, full(rows, inner));
  right = expand(right, full(inner, columns));
  const auto m = static_cast<size_t>(rows);
  const auto k = static_cast<size_t>(inner);
  const auto n = static_cast<size_t>(columns);
  for (size_t i = 0; i < out.values.size(); ++i) {
    const size_t matrix = i / (m * n);
    const size_t r = i / n % m;
    for (size_t j = 0; j < k; ++j) {
      const Number term =
          left.values[(matrix * m + r) * k + j] * right.values[(matrix * k + j) * n + i % n];
      out.values[i] += magnitudes ? std::abs(term) : term;
    }
  }
  return out;
}

Shape normalized(const Shape& dims, size_t rank) {
  Shape all;
  for (size_t d = 0; d < rank; ++d) {
    const auto front = static_cast<int64_t>(d);
    const bool named = std::any_of(dims.begin(), dims.end(), [&](int64_t dim) {
      return dim == front || dim + static_cast<int64_t>(rank) == front;
    });
    if (named || dims.empty()) all.push_back(front);
  }
  return all;
}

void for_each_line(const Shape& shape, size_t axis,
                   const std::function<void(const std::vector<size_t>& line)>& visit) {
  const int64_t length = shape.empty() ? 1 : shape[axis];
  int64_t inner = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
  std::vector<size_t> line(static_cast<size_t>(length));
  for (int64_t o = 0; o < count_of(shape) / (inner * length); ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      for (int64_t k = 0; k < length; ++k) {
        line[static_cast<size_t>(k)] = static_cast<size_t>((o * length + k) * inner + i);
      }
      visit(line);
    }
  }
}

Array reduce(const Array& a, const Shape& dims, bool keep,
             const std::function<Number(const std::vector<Number>& elements)>& f) {
  Shape kept = a.shape;
  for (const int64_t d : dims) kept[static_cast<size_t>(d)] = 1;
  Array out = filled(kept);
  std::vector<std::vector<Number>> elements(out.values.size());
  for (size_t i = 0; i < a.values.size(); ++i) {
    elements[source(kept, a.shape, i)].push_back(a.values[i]);
  }
  for (size_t i = 0; i < out.values.size(); ++i) out.values[i] = f(elements[i]);
  if (keep) return out;
  for (size_t d = dims.size(); d-- > 0;) {
    out.shape.erase(out.shape.begin() + static_cast<ptrdiff_t>(dims[d]));
  }
  return out;
}

Array sum(const Array& a, const Shape& dims, bool keep, bool magnitudes) {
  return reduce(a, dims, keep, [=](const std::vector<Number>& elements) {
    Number total = 0;
    for (const Number x : elements) total += magnitudes ? std::abs(x) : x;
    return total;
  });
}

}  // namespace aclgrad::contract::dense
