// SPDX-License-Identifier: Apache-2.0
#include "ops/loss/mse_kernel.h"

#include "ops/engine/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/loss/mse_kernel.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "ops/engine/dtype/doubles-inl.h"
#include "ops/engine/native-inl.h"

HWY_BEFORE_NAMESPACE();
namespace aclgrad::ops::HWY_NAMESPACE {

// ---- In double, a row at a time -----------------------------------------------------------------

// (in[0] - in[1])^2
void squared_differences(const NativeBlock& block) {
  visit_real(block.dtype, [&](auto tag) HWY_ATTR {
    using Element = typename decltype(tag)::type;
    const auto* a = static_cast<const Element*>(block.in[0]);
    const auto* b = static_cast<const Element*>(block.in[1]);
    auto* out = static_cast<Element*>(block.out[0]);
    for_vectors(block.count, [&](size_t i, auto n) HWY_ATTR {
      const Doubles difference = hn::Sub(load_doubles(a + i, n), load_doubles(b + i, n));
      store_doubles(hn::Mul(difference, difference), out + i, n);
    });
  });
}

// (in[1] - in[2]) * in[0] * factor
template <class Element>
void scaled_differences_of(const NativeBlock& block, double factor) {
  const auto* g = static_cast<const Element*>(block.in[0]);
  const auto* a = static_cast<const Element*>(block.in[1]);
  const auto* b = static_cast<const Element*>(block.in[2]);
  auto* out = static_cast<Element*>(block.out[0]);
  const Doubles scale = hn::Set(DoubleTag(), factor);
  const auto result = [&](size_t i, auto n) HWY_ATTR {
    const Doubles difference = hn::Sub(load_doubles(a + i, n), load_doubles(b + i, n));
    return hn::Mul(hn::Mul(difference, load_doubles(g + i, n)), scale);
  };
  size_t done = 0;
  if (block.streaming && reinterpret_cast<uintptr_t>(out) % (kDoubleLanes * sizeof(Element)) == 0) {
    const auto all = std::integral_constant<size_t, kDoubleLanes>();
    for (; done + kDoubleLanes <= block.count; done += kDoubleLanes) {
      const auto elements = from_doubles<Element>(result(done, all));
      hn::Stream(elements, RawTag<Element, DoubleTag>(), raw(out + done));
    }
  }
  for_vectors(block.count - done, [&](size_t i, auto n) HWY_ATTR {
    store_doubles(result(done + i, n), out + done + i, n);
  });
}

// Not for 16-bit elements.
void scaled_differences(const NativeBlock& block, double factor) {
  block.dtype == ACL_FLOAT ? scaled_differences_of<float>(block, factor)
                           : scaled_differences_of<double>(block, factor);
}

// ---- In float, for 16-bit elements --------------------------------------------------------------

// Two roundings before the last one, as the factor is a sum of two floats: within 2.5 units, where
// the first product has all its digits. One that vanishes does so with the factor, too.
void scaled_differences_16bit(const NativeBlock& block, double factor, const RealKernel& exact) {
  const auto high = static_cast<float>(factor);
  const auto low = static_cast<float>(factor - static_cast<double>(high));
  map_16bit<3, 1, Outputs::kWithin3Ulp>(
      block,
      [=](auto d, const auto& x, auto& y, auto& valid) HWY_ATTR {
        const auto product = hn::Mul(hn::Sub(x[1], x[2]), x[0]);
        const auto size = hn::Abs(product);
        const auto regular =
            hn::And(hn::Gt(size, hn::Set(d, 0x1p-100f)), hn::Lt(size, hn::Set(d, 0x1p100f)));
        valid = hn::Or(regular, hn::Or(hn::Eq(product, hn::Zero(d)), hn::IsNaN(product)));
        const auto scaled =
            mul_add(d, product, hn::Set(d, high), hn::Mul(product, hn::Set(d, low)));
        y[0] = hn::CopySign(scaled, product);  // the two parts of a zero might cancel
      },
      exact);
}

}  // namespace aclgrad::ops::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <array>

#include "ops/engine/reduce.h"
#include "ops/engine/sums.h"
#include "ops/loss/loss_kernel.h"

namespace aclgrad::ops {

HWY_EXPORT(squared_differences);
HWY_EXPORT(scaled_differences);
HWY_EXPORT(scaled_differences_16bit);

namespace {

// The kernel for blocks of double, which are native elements of DOUBLE.
template <size_t kInputs, class Body>
RealKernel of_doubles(const Body& body) {
  return [body](const double* const* in, double* const* out, size_t count) {
    std::array<const void*, kInputs> inputs;
    std::copy_n(in, kInputs, inputs.begin());
    void* const output = out[0];
    body(NativeBlock{ACL_DOUBLE, inputs.data(), &output, count, /*streaming=*/false});
  };
}

double chunk_sum(const Run& run, const Elements& a, const Elements& b, int64_t begin, int64_t end) {
  RealSum sum;
  if (a.index.dense() && b.index.dense() && a.dtype == b.dtype) {
    sum.add_squared_differences(a.at(run, begin), b.at(run, begin), a.dtype,
                                static_cast<size_t>(end - begin));
    return sum.total();
  }
  alignas(64) double left[kBlock];
  alignas(64) double right[kBlock];
  for_blocks(begin, end, [&](int64_t first, int64_t stop) {
    a.read(run, first, stop, left);
    b.read(run, first, stop, right);
    sum.add_squared_differences(left, right, ACL_DOUBLE, static_cast<size_t>(stop - first));
  });
  return sum.total();
}

// The sums over all rows of (a - b)^2, for each column.
struct ColumnErrors {
  using State = double;

  Elements a, b, out;
  int64_t rows, columns, divisor;
  aclDataType through;  // the results are rounded to it first

  int64_t outputs() const { return columns; }
  int64_t chunks() const { return 1; }
  int64_t together() const { return static_cast<int64_t>(ColumnSums::kColumns); }
  int64_t grain() const { return 1; }
  void reduce(const Run& run, int64_t first, int64_t count, int64_t, double* sums) const {
    alignas(64) double left[ColumnSums::kColumns];
    alignas(64) double right[ColumnSums::kColumns];
    ColumnSums total(static_cast<size_t>(count));
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t begin = row * columns + first;
      a.read(run, begin, begin + count, left);
      b.read(run, begin, begin + count, right);
      for (int64_t j = 0; j < count; ++j) left[j] = (left[j] - right[j]) * (left[j] - right[j]);
      total.add(left, ACL_DOUBLE, 0, 1);
    }
    total.finish(sums);
  }
  void merge(double&, double) const {}
  void finish(const Run& run, int64_t first, int64_t count, double* sums) const {
    for (int64_t j = 0; j < count; ++j) sums[j] /= static_cast<double>(divisor);
    out.write_through(run, sums, through, first, first + count);
  }
};

}  // namespace

Kernel squared_difference() {
  const auto run = [](const NativeBlock& block) {
    HWY_DYNAMIC_DISPATCH(squared_differences)(block);
  };
  return FloatKernel{of_doubles<2>(run), row_by_row<2, 1>(run)};
}

Kernel scaled_difference(double divisor) {
  const double factor = 2 / divisor;
  const auto run = [factor](const NativeBlock& block) {
    HWY_DYNAMIC_DISPATCH(scaled_differences)(block, factor);
  };
  const RealKernel exact = of_doubles<3>(run);
  return FloatKernel{exact,
                     [factor, exact, floats = row_by_row<3, 1>(run)](const NativeBlock& block) {
                       if (block.dtype == ACL_FLOAT) return floats(block);
                       HWY_DYNAMIC_DISPATCH(scaled_differences_16bit)(block, factor, exact);
                     }};
}

Plan plan_squared_error(const Arguments& arguments, size_t a, size_t b, size_t out, int64_t divisor,
                        aclDataType dtype) {
  Dims common;
  broadcast_shapes(arguments.shape(a), arguments.shape(b), common);
  return plan_chunks(
      arguments, out, dtype, count_elements(common), divisor,
      [left = Elements(arguments, a, common), right = Elements(arguments, b, common)](
          const Run& run, int64_t begin, int64_t end) {
        return chunk_sum(run, left, right, begin, end);
      });
}

Plan plan_column_squared_error(const Arguments& arguments, size_t a, size_t b, size_t out,
                               int64_t divisor, aclDataType dtype) {
  Dims common;
  broadcast_shapes(arguments.shape(a), arguments.shape(b), common);
  return plan_reduction(ColumnErrors{Elements(arguments, a, common), Elements(arguments, b, common),
                                     Elements(arguments, out), common[0],
                                     count_elements(arguments.shape(out)), divisor, dtype});
}

}  // namespace aclgrad::ops
#endif  // HWY_ONCE
