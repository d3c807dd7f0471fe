// SPDX-License-Identifier: Apache-2.0
// aclnnScaledMaskedSoftmax, aclnnScaledMaskedSoftmaxBackward.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "aclnnop/aclnn_scaled_masked_softmax.h"
#include "aclnnop/aclnn_scaled_masked_softmax_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/thread_scratch.h"
#include "ops/meta/rules.h"
#include "ops/normalization/softmax_kernel.h"

namespace aclgrad::ops::masked_softmax {
namespace {

// What a masked score is taken for: not -infinity, so that a row of nothing else is uniform.
constexpr double kMaskedScore = -10000;
constexpr int64_t kRowsTogether = 8;  // as the kernels of softmax take them

struct MaskBuffer {
  std::vector<double> values;
};
struct RowBuffer {
  std::vector<double> values;
};

struct Masking {
  double scale;
  bool is_triangle;  // places behind the row's are masked, whatever the mask says
  int64_t height;    // rows of a triangle
  Elements mask;

  // Calls visit(i, is_masked) for the elements of a row.
  template <class Visit>
  void for_each(const Run& run, int64_t row, size_t length, const Visit& visit) const {
    const ThreadScratch<MaskBuffer> buffer;
    std::vector<double>& masked = buffer->values;
    masked.resize(std::max(masked.size(), length));
    const auto count = static_cast<int64_t>(length);
    if (!is_triangle) mask.read(run, row * count, (row + 1) * count, masked.data());
    for (size_t i = 0; i < length; ++i) {
      visit(i, is_triangle ? static_cast<int64_t>(i) > row % height : masked[i] != 0);
    }
  }

  // Scales a row, and puts a value in the place of what is masked.
  void apply(const Run& run, int64_t row, double value, std::span<double> values) const {
    for_each(run, row, values.size(),
             [&](size_t i, bool is_masked) { values[i] = is_masked ? value : values[i] * scale; });
  }
  // Where a masked place had no share, nothing comes back, be it infinite or NaN.
  void drop(const Run& run, int64_t row, std::span<double> gradient, const double* shares) const {
    for_each(run, row, gradient.size(), [&](size_t i, bool is_masked) {
      if (is_masked && shares[i] == 0) gradient[i] = 0;
    });
  }
};

// The work on rows in DOUBLE: the mask is applied with this value to the input, before the kernel,
// or to the result.
template <size_t kInputs>
Plan plan_masked(const Arguments& arguments, const std::array<size_t, kInputs>& inputs, size_t out,
                 void (*kernel)(const RowBlock&), const Masking& masking, bool before,
                 double value) {
  const Dims& shape = arguments.shape(out);
  if (arguments.empty(out)) return {};
  const int64_t length = shape[3];
  std::array<Elements, kInputs> rows;
  for (size_t k = 0; k < kInputs; ++k) rows[k] = Elements(arguments, inputs[k]);
  return {[=, to = Elements(arguments, out)](const Run& run) -> aclError {
    const int64_t grain = std::max<int64_t>(kRowsTogether, (1 << 14) / length);
    parallel_pieces(to.index.count() / length, grain, [&](int64_t begin, int64_t end) {
      const int64_t part = kRowsTogether * length;
      const ThreadScratch<RowBuffer> buffer;
      std::vector<double>& values = buffer->values;
      values.resize(std::max(values.size(), kInputs * static_cast<size_t>(part)));
      for (int64_t first = begin; first < end; first += kRowsTogether) {
        const int64_t count = std::min(kRowsTogether, end - first);
        RowBlock block{ACL_DOUBLE, static_cast<size_t>(count), static_cast<size_t>(length)};
        for (size_t k = 0; k < kInputs; ++k) {
          double* const data = values.data() + static_cast<int64_t>(k) * part;
          rows[k].read(run, first * length, (first + count) * length, data);
          block.rows[k] = {data, length};
        }
        block.rows[kInputs] = {values.data(), length};
        const auto line = [&](int64_t r) {
          return std::span(values.data() + r * length, static_cast<size_t>(length));
        };
        const auto apply = [&] {
          for (int64_t r = 0; r < count; ++r) masking.apply(run, first + r, value, line(r));
        };
        if (before) apply();
        for (int64_t r = 0; !before && r < count; ++r) {
          masking.drop(run, first + r, line(r), values.data() + part + r * length);
        }
        kernel(block);
        if (!before) apply();
        to.write(run, values.data(), first * length, (first + count) * length);
      }
    });
    return ACL_SUCCESS;
  }};
}

// ---- Checks -------------------------------------------------------------------------------------

Rule has_rank_4(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.shape(tensor).size() == 4) return std::nullopt;
    return "tensor " + std::string(arguments.name(tensor)) + " must have rank 4, but is " +
           to_string(arguments.shape(tensor)) + ".";
  });
}

// `first` are the inputs but for the mask.
Rules rules(const std::vector<size_t>& first, size_t mask, size_t out, Rule given) {
  const size_t x = first[0];
  const std::vector<size_t> others(first.begin() + 1, first.end());
  return {std::move(given),           dtype_in(x, kFloats),  same_dtype(others, x),
          dtype_in(mask, {ACL_BOOL}), same_dtype(out, x),    has_rank_4(x),
          has_rank_4(mask),           same_shape(others, x), broadcasts_to(mask, x),
          same_shape(out, x)};
}

namespace forward {
enum : size_t { kX, kMask, kScale, kTriangle, kOut };
const OperatorSpec kSpec{
    "aclnnScaledMaskedSoftmax",
    {input("x"), input("mask"), attribute("scale"), attribute("fixedTriuMask"), output("y")},
    rules({kX}, kMask, kOut, not_null({kX, kMask, kOut}))};
}  // namespace forward

namespace backward {
enum : size_t { kGradient, kY, kMask, kScale, kTriangle, kOut };
const OperatorSpec kSpec{
    "aclnnScaledMaskedSoftmaxBackward",
    {input("yGrad"), input("y"), input("mask"), attribute("scale"), attribute("fixedTriuMask"),
     output("xGrad")},
    rules({kGradient, kY}, kMask, kOut, not_null({kGradient, kY, kMask, kOut}))};
}  // namespace backward

Masking masking_of(const Arguments& arguments, size_t mask, size_t scale, size_t triangle,
                   size_t out) {
  const Dims& shape = arguments.shape(out);
  return {arguments.real(scale), arguments.flag(triangle), std::max<int64_t>(1, shape[2]),
          Elements(arguments, mask, shape)};
}

}  // namespace

ACLGRAD_OPERATOR(aclnnScaledMaskedSoftmax, forward::kSpec, [](const Arguments& arguments) {
  using namespace forward;
  return plan_masked<1>(arguments, {kX}, kOut, softmax_rows,
                        masking_of(arguments, kMask, kScale, kTriangle, kOut), true, kMaskedScore);
})
ACLGRAD_OPERATOR(aclnnScaledMaskedSoftmaxBackward, backward::kSpec, [](const Arguments& arguments) {
  using namespace backward;
  return plan_masked<2>(arguments, {kGradient, kY}, kOut, softmax_backward_rows,
                        masking_of(arguments, kMask, kScale, kTriangle, kOut), false, 0);
})

}  // namespace aclgrad::ops::masked_softmax
