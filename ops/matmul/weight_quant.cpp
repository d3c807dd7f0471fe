// SPDX-License-Identifier: Apache-2.0
// aclnnWeightQuantBatchMatmulV2.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "ops/engine/dtype/formats.h"
#include "ops/matmul/product_rules.h"

namespace aclgrad::ops::weight_quant {
namespace {

enum : size_t { kX, kWeight, kScale, kOffset, kQuantScale, kQuantOffset, kBias, kGroup, kY };

// ---- Checks -------------------------------------------------------------------------------------

int64_t rows_of(const Arguments& arguments) { return arguments.shape(kWeight)[0]; }
int64_t columns_of(const Arguments& arguments) { return arguments.shape(kWeight)[1]; }

// Rows that have a scale of their own.
int64_t groups_of(const Arguments& arguments) {
  const int64_t size = arguments.integer(kGroup);
  return size == 0 ? 1 : (rows_of(arguments) + size - 1) / size;
}

Rule not_supported(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.given(tensor)) return std::nullopt;
    return fmt::format(
        "the call must have no {}, but that is {} {}: results in INT8 are not supported.",
        arguments.name(tensor), dtype_name(arguments.dtype(tensor)),
        to_string(arguments.shape(tensor)));
  });
}

// Also of a weight, where its elements begin.
Rule group_fits() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    const aclTensor& weight = arguments.tensor(kWeight);
    if (weight.dtype == ACL_INT4 && weight.offset % 2 != 0) {  // within a byte
      return fmt::format("tensor {} of DT_INT4 must have an even offset, but has {}.",
                         arguments.name(kWeight), weight.offset);
    }
    const int64_t size = arguments.integer(kGroup), rows = rows_of(arguments);
    if (size == 0 || (size >= 32 && size % 32 == 0 && size < rows)) return std::nullopt;
    return fmt::format("{} must be 0 or a multiple of 32 from 32 to {} for {} {}, but is {}.",
                       arguments.name(kGroup), rows - 1, arguments.name(kWeight),
                       to_string(arguments.shape(kWeight)), size);
  });
}

Rule has_size_of_scales(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.given(tensor)) return std::nullopt;
    const Dims& shape = arguments.shape(tensor);
    const int64_t groups = groups_of(arguments), columns = columns_of(arguments);
    const bool one_group = arguments.integer(kGroup) == 0;
    if (shape == Dims{groups, columns} ||
        (one_group && (shape == Dims{1} || shape == Dims{columns}))) {
      return std::nullopt;
    }
    return fmt::format("tensor {} must have size {}{}, but is {}.", arguments.name(tensor),
                       to_string(Dims{groups, columns}),
                       one_group ? fmt::format(", [{}] or [1]", columns) : "", to_string(shape));
  });
}

Rule is_bias(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    if (!arguments.given(tensor)) return std::nullopt;
    const int64_t columns = columns_of(arguments);
    const Dims& shape = arguments.shape(tensor);
    if (shape != Dims{columns} && shape != Dims{1, columns}) {
      return fmt::format("tensor {} must have size [{}] or [1, {}], but is {}.",
                         arguments.name(tensor), columns, columns, to_string(shape));
    }
    const aclDataType dtype = arguments.dtype(tensor);
    if (dtype == ACL_FLOAT || dtype == arguments.dtype(kX)) return std::nullopt;
    return fmt::format("tensor {} must be DT_FLOAT or of the {} of {}, but is {}.",
                       arguments.name(tensor), dtype_name(arguments.dtype(kX)), arguments.name(kX),
                       dtype_name(dtype));
  });
}

Dims product_shape(const Arguments& arguments) {
  return {arguments.shape(kX)[0], columns_of(arguments)};
}

const OperatorSpec kSpec{
    "aclnnWeightQuantBatchMatmulV2",
    {input("x"), transposable("weight"), transposable("antiquantScale"),
     transposable("antiquantOffsetOptional"), input("quantScaleOptional"),
     input("quantOffsetOptional"), input("biasOptional"), attribute("antiquantGroupSize"),
     output("y")},
    Rules{not_null({kX, kWeight, kScale, kY}),
          live_if_given({kOffset, kQuantScale, kQuantOffset, kBias}), dtype_in(kX, kFloats),
          dtype_in(kWeight, {ACL_INT8, ACL_INT4}), same_dtype({kScale, kOffset, kY}, kX),
          not_supported(kQuantScale), not_supported(kQuantOffset), rank_is(kX, 2),
          rank_is(kWeight, 2), inner_sizes_match(kX, kWeight), group_fits(),
          has_size_of_scales(kScale), has_size_of_scales(kOffset), is_bias(kBias),
          has_product_shape(kY, product_shape)}};

// ---- The weight in FLOAT ------------------------------------------------------------------------

// By group and column; 0 where they have one for all.
struct Scales {
  bool is_given = false;
  size_t parameter = 0;
  aclDataType dtype = ACL_FLOAT16;
  int64_t group = 0, column = 0;

  Scales() = default;
  Scales(const Arguments& arguments, size_t tensor) : is_given(arguments.given(tensor)) {
    if (!is_given) return;
    const Operand of = operand(arguments, tensor, {groups_of(arguments), columns_of(arguments)});
    parameter = tensor;
    dtype = of.dtype;
    group = of.strides[0];
    column = of.strides[1];
  }
  double at(const Run& run, int64_t number, int64_t n, double otherwise) const {
    if (!is_given) return otherwise;
    double value = 0;
    load(element(static_cast<const void*>(run.data(parameter)), dtype, number * group + n * column),
         dtype, 1, &value, 1);
    return value;
  }
};

struct Weight {
  aclDataType dtype;
  int64_t rows, row_stride, column_stride;
  int64_t group_size;  // at least 1
  Scales scale, offset;

  float quantum(const Run& run, int64_t place) const {
    const auto* const bytes = run.data<const int8_t>(kWeight);
    if (dtype == ACL_INT8) return bytes[place];
    const int nibble = (bytes[place >> 1] >> ((place & 1) * 4)) & 0xF;
    return static_cast<float>(nibble < 8 ? nibble : nibble - 16);
  }
  // The elements of a column, one behind the other.
  template <class T>
  void expand(const Run& run, int64_t column, T* to) const {
    for (int64_t first = 0, group = 0; first < rows; first += group_size, ++group) {
      const auto factor = static_cast<T>(scale.at(run, group, column, 1));
      const auto shift = static_cast<T>(offset.at(run, group, column, 0));
      for (int64_t k = first; k < std::min(rows, first + group_size); ++k) {
        to[k] = (static_cast<T>(quantum(run, k * row_stride + column * column_stride)) + shift) *
                factor;
      }
    }
  }
};

// Addresses of a product's tensors.
enum : size_t { kLeft, kExpanded, kProduct, kAddend };

constexpr int64_t kColumns = 256;  // that are expanded at a time

MatmulProblem problem_of(const Arguments& arguments, int64_t columns) {
  const Dims& x = arguments.strides(kX);
  const Dims& y = arguments.strides(kY);
  MatmulProblem problem;
  problem.m = arguments.shape(kX)[0];
  problem.k = rows_of(arguments);
  problem.n = columns;
  problem.a = {kLeft, arguments.dtype(kX), x[0], x[1], {}};
  problem.dtype = arguments.dtype(kX) == ACL_DOUBLE ? ACL_DOUBLE : ACL_FLOAT;
  problem.b = {kExpanded, problem.dtype, 1, problem.k, {}};
  problem.out = {kProduct, arguments.dtype(kY), y[0], y[1], {}};
  if (arguments.given(kBias)) {
    const Dims& bias = arguments.strides(kBias);
    problem.addend = MatrixView{kAddend, arguments.dtype(kBias), 0, bias[bias.size() - 1], {}};
    problem.beta = 1;
  }
  return problem;
}

// In type T, as the product.
template <class T>
Plan plan_in(const Arguments& arguments) {
  const int64_t rows = rows_of(arguments), columns = columns_of(arguments);
  const int64_t width = std::min(kColumns, columns), rest = columns % width;
  const Dims& strides = arguments.strides(kWeight);
  const int64_t group = arguments.integer(kGroup);
  const Weight weight{arguments.dtype(kWeight),
                      rows,
                      strides[0],
                      strides[1],
                      group == 0 ? std::max<int64_t>(1, rows) : group,
                      Scales(arguments, kScale),
                      Scales(arguments, kOffset)};
  const MatmulProblem problem = problem_of(arguments, width);
  const Body whole = plan_matmul(problem).body;
  const Body last = rest == 0 ? whole : plan_matmul(problem_of(arguments, rest)).body;
  const bool adds = problem.addend.has_value();
  return {[=](const Run& run) -> aclError {
            auto* const expanded = aligned<T>(run.workspace());
            for (int64_t first = 0; first < columns; first += width) {
              const int64_t count = std::min(width, columns - first);
              parallel_pieces(count, std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, rows)),
                              [&](int64_t begin, int64_t end) {
                                for (int64_t n = begin; n < end; ++n) {
                                  weight.expand(run, first + n, expanded + n * rows);
                                }
                              });
              std::array<void*, 4> addresses = {
                  run.data(kX), expanded,
                  element(run.data(kY), problem.out.dtype, first * problem.out.column_stride),
                  nullptr};
              if (adds) {
                addresses[kAddend] = element(run.data(kBias), problem.addend->dtype,
                                             first * problem.addend->column_stride);
              }
              const Run inner(addresses, nullptr);
              if (const aclError failed = (count == width ? whole : last)(inner)) return failed;
            }
            return ACL_SUCCESS;
          },
          static_cast<uint64_t>(saturating_product({rows * width + 1, int64_t{sizeof(T)}}))};
}

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kY)) return {};
  return arguments.dtype(kX) == ACL_DOUBLE ? plan_in<double>(arguments) : plan_in<float>(arguments);
}

}  // namespace

ACLGRAD_OPERATOR(aclnnWeightQuantBatchMatmulV2, kSpec, plan)

}  // namespace aclgrad::ops::weight_quant
