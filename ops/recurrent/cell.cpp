// SPDX-License-Identifier: Apache-2.0
// aclnnThnnFusedLstmCell, aclnnThnnFusedLstmCellBackward.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "aclnnop/aclnn_thnn_fused_lstm_cell.h"
#include "aclnnop/aclnn_thnn_fused_lstm_cell_backward.h"
#include "ops/engine/dtype/dtype_sets.h"
#include "ops/engine/extent.h"
#include "ops/engine/staging.h"
#include "ops/meta/rules.h"
#include "ops/recurrent/recurrent_kernel.h"

namespace aclgrad::ops::cell {
namespace {

// ---- Both functions -----------------------------------------------------------------------------

Rule is_matrix(size_t tensor) {
  return require([=](const Arguments& arguments) -> std::optional<std::string> {
    const Dims& shape = arguments.shape(tensor);
    if (shape.size() == 2) return std::nullopt;
    return fmt::format("tensor {} must have rank 2, but is {}.", arguments.name(tensor),
                       to_string(shape));
  });
}

// [batch, columns], or [columns] of a bias, by the state c of shape [batch, size].
Rule has_gates_of(size_t tensor, size_t c, bool is_bias = false) {
  return [=](const Arguments& arguments) {
    const Dims& state = arguments.shape(c);
    const int64_t columns = saturating_product({4, state[1]});
    return has_shape(tensor, is_bias ? Dims{columns} : Dims{state[0], columns})(arguments);
  };
}

// A staged matrix with its dense rows.
template <class T>
CellRows<T> rows(const Staging& staging, const Run& run, std::optional<size_t> array,
                 int64_t columns) {
  return {staging.data<T>(run, array), columns};
}

constexpr int64_t kElementsOfPart = 1 << 13;  // of gates, so that threads are worth it

// The plan of the step that step(run, T{}) is, for all rows, and of finish(run, T{}) after it.
template <class Step, class Finish>
Plan plan_step(std::shared_ptr<const Staging> staging, aclDataType compute, int64_t batch,
               int64_t size, const Step& step, const Finish& finish) {
  const auto run_in = [=](const Run& run, auto zero) {
    const CellStep all = step(run, zero);
    parallel_pieces(batch, std::max<int64_t>(1, kElementsOfPart / (4 * size)),
                    [&](int64_t begin, int64_t end) { run_step(all, begin, end); });
    finish(run, zero);
  };
  return {[=](const Run& run) -> aclError {
            staging->load(run);
            compute == ACL_DOUBLE ? run_in(run, double{}) : run_in(run, float{});
            staging->store(run);
            return ACL_SUCCESS;
          },
          staging->workspace_size()};
}

// None for a tensor that is not given.
std::optional<size_t> input_if_given(Staging& staging, const Arguments& arguments, size_t tensor) {
  if (!arguments.given(tensor)) return std::nullopt;
  return staging.input(arguments, tensor);
}

aclDataType compute_type(aclDataType dtype) { return dtype == ACL_DOUBLE ? dtype : ACL_FLOAT; }

// ---- Forward ------------------------------------------------------------------------------------

namespace forward {

enum : size_t { kInputGates, kHiddenGates, kCx, kInputBias, kHiddenBias, kHy, kCy, kStorage };

Rule both_biases_or_none() {
  return require([](const Arguments& arguments) -> std::optional<std::string> {
    if (arguments.given(kInputBias) == arguments.given(kHiddenBias)) return std::nullopt;
    const bool lacks_hidden = arguments.given(kInputBias);
    return fmt::format("{} must be given with {}, but is null.",
                       arguments.name(lacks_hidden ? kHiddenBias : kInputBias),
                       arguments.name(lacks_hidden ? kInputBias : kHiddenBias));
  });
}

const OperatorSpec kSpec{
    "aclnnThnnFusedLstmCell",
    {input("inputGates"), input("hiddenGates"), input("cx"), input("inputBiasOptional"),
     input("hiddenBiasOptional"), output("hy"), output("cy"), output("storage")},
    Rules{not_null({kInputGates, kHiddenGates, kCx, kHy, kCy, kStorage}),
          live_if_given({kInputBias, kHiddenBias}), dtype_in(kInputGates, kRealFloats),
          same_dtype({kHiddenGates, kCx, kInputBias, kHiddenBias, kHy, kCy, kStorage}, kInputGates),
          is_matrix(kCx), has_gates_of(kInputGates, kCx), has_gates_of(kHiddenGates, kCx),
          has_gates_of(kInputBias, kCx, true), has_gates_of(kHiddenBias, kCx, true),
          same_shape({kHy, kCy}, kCx), has_gates_of(kStorage, kCx), both_biases_or_none()}};

Plan plan(const Arguments& arguments) {
  if (arguments.empty(kCx)) return {};
  const aclDataType compute = compute_type(arguments.dtype(kCx));
  const auto staging = std::make_shared<Staging>(compute);
  const auto input = [&](size_t tensor) { return input_if_given(*staging, arguments, tensor); };
  const auto inputs = input(kInputGates), hidden = input(kHiddenGates), cx = input(kCx),
             input_bias = input(kInputBias), hidden_bias = input(kHiddenBias);
  const size_t hy = staging->output(arguments, kHy), cy = staging->output(arguments, kCy),
               storage = staging->output(arguments, kStorage);
  const int64_t size = arguments.shape(kCx)[1];
  return plan_step(
      staging, compute, arguments.shape(kCx)[0], size,
      [=, &arrays = *staging]<class T>(const Run& run, T) {
        const CellRows<T> gates = rows<T>(arrays, run, storage, 4 * size);
        const auto gate = [&](int64_t k) {
          return CellRows<T>{gates.data + k * size, gates.stride};
        };
        return LstmStep<T>{size,
                           rows<T>(arrays, run, inputs, 4 * size),
                           rows<T>(arrays, run, hidden, 4 * size),
                           arrays.data<T>(run, input_bias),
                           arrays.data<T>(run, hidden_bias),
                           rows<T>(arrays, run, cx, size),
                           rows<T>(arrays, run, cy, size),
                           rows<T>(arrays, run, hy, size),
                           {gate(0), gate(1), gate(2), gate(3)}};
      },
      [](const Run&, auto) {});
}

}  // namespace forward

// ---- Backward -----------------------------------------------------------------------------------

namespace backward {

enum : size_t { kGradHy, kGradCy, kCx, kCy, kStorage, kHasBias, kGradGates, kGradCx, kGradBias };

bool has_bias(const Arguments& arguments) { return arguments.flag(kHasBias); }

Rule has_gradient_of_bias() {
  return [](const Arguments& arguments) -> CheckResult {
    if (!has_bias(arguments) || arguments.given(kGradBias)) return {};
    return {kNullPointer,
            fmt::format("argument {} must not be null with {}, but got a null pointer.",
                        arguments.name(kGradBias), arguments.name(kHasBias))};
  };
}

Rule has_gradient_of_state() {
  return [](const Arguments& arguments) -> CheckResult {
    if (arguments.given(kGradHy) || arguments.given(kGradCy)) return {};
    return {kNullPointer,
            fmt::format("argument {} must not be null where {} is, but both are a null pointer.",
                        arguments.name(kGradHy), arguments.name(kGradCy))};
  };
}

Rules rules() {
  return {has_gradient_of_state(),
          live_if_given({kGradHy, kGradCy}),
          not_null({kCx, kCy, kStorage, kGradGates, kGradCx}),
          has_gradient_of_bias(),
          live_if_given(kGradBias),
          dtype_in(kCx, kRealFloats),
          same_dtype({kCy, kStorage, kGradGates, kGradCx, kGradHy, kGradCy, kGradBias}, kCx),
          is_matrix(kCx),
          same_shape({kGradHy, kGradCy, kCy, kGradCx}, kCx),
          has_gates_of(kStorage, kCx),
          has_gates_of(kGradGates, kCx),
          when(has_bias, has_gates_of(kGradBias, kCx, true))};
}

const OperatorSpec kSpec{
    "aclnnThnnFusedLstmCellBackward",
    {input("gradHyOptional"), input("gradCyOptional"), input("cx"), input("cy"), input("storage"),
     attribute("hasBias"), output("gradGates"), output("gradCx"), output("gradBiasOptional")},
    rules()};

Plan plan(const Arguments& arguments) {
  const aclDataType compute = compute_type(arguments.dtype(kCx));
  const auto staging = std::make_shared<Staging>(compute);
  const auto input = [&](size_t tensor) { return input_if_given(*staging, arguments, tensor); };
  const auto grad_hy = input(kGradHy), grad_cy = input(kGradCy), cx = input(kCx), cy = input(kCy),
             storage = input(kStorage);
  const size_t of_gates = staging->output(arguments, kGradGates),
               of_cx = staging->output(arguments, kGradCx);
  std::optional<size_t> of_bias;
  if (has_bias(arguments)) of_bias = staging->output(arguments, kGradBias);
  const int64_t batch = arguments.shape(kCx)[0], size = arguments.shape(kCx)[1];
  if (size == 0) return {};
  return plan_step(
      staging, compute, batch, size,
      [=, &arrays = *staging]<class T>(const Run& run, T) {
        const auto states = [&](std::optional<size_t> array) {
          return rows<T>(arrays, run, array, size);
        };
        const T* const gates = arrays.data<T>(run, storage);
        const auto gate = [&](int64_t k) { return CellRows<const T>{gates + k * size, 4 * size}; };
        return LstmGradient<T>{size,
                               {states(grad_hy), CellRows<T>{}},
                               states(grad_cy),
                               {gate(0), gate(1), gate(2), gate(3)},
                               states(cx),
                               states(cy),
                               rows<T>(arrays, run, of_gates, 4 * size),
                               states(of_cx),
                               /*takes_tanh=*/true};
      },
      [=, &arrays = *staging]<class T>(const Run& run, T) {
        if (!of_bias) return;
        run_step(ColumnSums<T>{batch, rows<T>(arrays, run, of_gates, 4 * size),
                               arrays.data<T>(run, *of_bias)},
                 0, 4 * size);
      });
}

}  // namespace backward
}  // namespace

ACLGRAD_OPERATOR(aclnnThnnFusedLstmCell, forward::kSpec, forward::plan)
ACLGRAD_OPERATOR(aclnnThnnFusedLstmCellBackward, backward::kSpec, backward::plan)

}  // namespace aclgrad::ops::cell
