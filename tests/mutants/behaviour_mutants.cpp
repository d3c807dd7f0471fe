// SPDX-License-Identifier: Apache-2.0
// Right formulas that misbehave: memory, strides, rounding, order, aliasing. All of them are
// Hardswish V2 around one loop.
#include <algorithm>
#include <cmath>
#include <memory>

#include "tests/mutants/mutant.h"

namespace aclgrad::mutants {
namespace {

using namespace gradcheck;

double formula(double g, double x) {
  if (std::isnan(x)) return x;
  return g * (x <= -3 ? 0 : x >= 3 ? 1 : x / 3 + 0.5);
}

double value(const View& view, std::int64_t i) { return static_cast<double>(view.get(i)); }

// The right loop.
void loop(const BackwardCall& call, std::int64_t begin, std::int64_t end) {
  const View& out = call.outputs[0];
  for (std::int64_t i = begin; i < end; ++i) {
    out.set(i, formula(value(call.inputs[0], i), value(call.inputs[1], i)));
  }
}

// A view with its strides and offset forgotten.
View dense(View view, bool strides, bool offset) {
  if (strides) {
    std::int64_t stride = 1;
    for (std::size_t d = view.shape.size(); d-- > 0;) {
      view.strides[d] = stride;
      stride *= view.shape[d];
    }
  }
  if (offset) view.offset = 0;
  return view;
}

struct Row {
  const char* edit;
  Backward backward;
};

Backward around(std::function<void(const BackwardCall& call, std::int64_t count)> body) {
  return [body = std::move(body)](const BackwardCall& call) -> std::string {
    body(call, call.outputs[0].count());
    return "";
  };
}

Backward with_views(bool input, bool strides, bool offset) {
  return around([=](const BackwardCall& call, std::int64_t count) {
    std::vector<View> inputs(call.inputs.begin(), call.inputs.end());
    std::vector<View> outputs(call.outputs.begin(), call.outputs.end());
    View& view = input ? inputs[1] : outputs[0];
    view = dense(view, strides, offset);
    loop({.inputs = inputs, .outputs = outputs}, 0, count);
  });
}

// Rounds to the dtype in another way than to nearest even, or twice.
Backward with_rounding(std::function<Number(Number exact, DType dtype)> round) {
  return around([=](const BackwardCall& call, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      const double exact = formula(value(call.inputs[0], i), value(call.inputs[1], i));
      call.outputs[0].set(i, round(exact, call.outputs[0].dtype));
    }
  });
}

Number toward_zero(Number exact, DType dtype) {
  const Number unit = ulp(exact, dtype);
  return std::isfinite(exact) ? std::trunc(exact / unit) * unit : exact;
}

std::vector<Row> rows() {
  const auto calls = std::make_shared<int>(0);
  return {
      {"output strides ignored", with_views(false, true, false)},
      {"output offset ignored", with_views(false, false, true)},
      {"input strides ignored", with_views(true, true, false)},
      {"input offset ignored", with_views(true, false, true)},
      {"an input's stride of 0 taken for a contiguous one", around([](auto& call, std::int64_t n) {
         std::vector<View> inputs(call.inputs.begin(), call.inputs.end());
         for (View& input : inputs) {
           const bool expanded = std::count(input.strides.begin(), input.strides.end(), 0) > 0;
           if (expanded) input = dense(input, true, false);
           // Reads what lies behind the tensor, but nothing behind its guard zone.
           const auto last = static_cast<std::int64_t>(input.storage);
           for (std::int64_t& stride : input.strides) stride = std::min(stride, last);
         }
         loop({.inputs = inputs, .outputs = call.outputs}, 0, n);
       })},
      {"last element skipped",
       around([](auto& call, std::int64_t n) { loop(call, 0, n - (n > 1 ? 1 : 0)); })},
      {"first element skipped", around([](auto& call, std::int64_t n) { loop(call, 1, n); })},
      {"tail of a vector of 8 skipped",
       around([](auto& call, std::int64_t n) { loop(call, 0, n < 8 ? n : n / 8 * 8); })},
      {"half written", around([](auto& call, std::int64_t n) { loop(call, 0, (n + 1) / 2); })},
      {"one element past the end", around([](auto& call, std::int64_t n) {
         loop(call, 0, n);
         View out = call.outputs[0];
         store(out.data, out.dtype, out.storage, 0);
       })},
      {"one element before the start", around([](auto& call, std::int64_t n) {
         loop(call, 0, n);
         store(call.outputs[0].data, call.outputs[0].dtype, -1, 0);
       })},
      {"gaps between strides overwritten", around([](auto& call, std::int64_t n) {
         const View& out = call.outputs[0];
         for (std::int64_t i = 0; i < out.storage; ++i) store(out.data, out.dtype, i, 0);
         loop(call, 0, n);
       })},
      {"adds to what is in the output", around([](auto& call, std::int64_t n) {
         const View& out = call.outputs[0];
         for (std::int64_t i = 0; i < n; ++i) {
           const double before = value(out, i);
           const double more = formula(value(call.inputs[0], i), value(call.inputs[1], i));
           out.set(i, std::abs(before) < 1e30 ? before + more : more);
         }
       })},
      {"workspace read before it is written", around([](auto& call, std::int64_t n) {
         loop(call, 0, n);
         if (call.poison == 0) call.outputs[0].set(0, 0.125);
       })},
      {"gradOutput overwritten", around([](auto& call, std::int64_t n) {
         loop(call, 0, n);
         call.inputs[0].set(0, 0);
       })},
      {"output zeroed before the inputs are read", around([](auto& call, std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) call.outputs[0].set(i, 0);
         loop(call, 0, n);
       })},
      {"racing write: another element now and then", around([calls](auto& call, std::int64_t n) {
         loop(call, 0, n);
         if (++*calls % 3 == 0 && n > 1) call.outputs[0].set(n / 2, value(call.outputs[0], 0));
       })},
      {"state kept between calls", around([calls](auto& call, std::int64_t n) {
         loop(call, 0, n);
         *calls += 1;
         call.outputs[0].set(0, value(call.outputs[0], 0) * (*calls % 2 == 0 ? 1 : 1.01));
       })},
      {"other bits with more threads", around([](auto& call, std::int64_t n) {
         loop(call, 0, n);
         if (call.threads > 1 && n > 0) {
           call.outputs[0].set(0, next_above(call.outputs[0].get(0), call.outputs[0].dtype));
         }
       })},
      {"blocks of 4096 start again", around([](auto& call, std::int64_t n) {
         loop(call, 0, n);
         if (n > 4096) call.outputs[0].set(4096, value(call.outputs[0], 0));
       })},
      {"rounded toward zero", with_rounding(toward_zero)},
      {"computed in float16",
       with_rounding([](Number exact, DType) { return round_to(exact, DType::float16); })},
      {"computed in bfloat16 when the result is float16", with_rounding([](Number exact, DType d) {
         return d == DType::float16 ? round_to(exact, DType::bfloat16) : exact;
       })},
      {"two roundings up", with_rounding([](Number exact, DType dtype) {
         return std::isfinite(exact) ? next_above(round_to(exact, dtype), dtype) : exact;
       })},
      {"a tensor of rank 0 not written", around([](auto& call, std::int64_t n) {
         if (!call.outputs[0].shape.empty()) loop(call, 0, n);
       })},
      {"an empty tensor written", around([](auto& call, std::int64_t n) {
         loop(call, 0, n);
         if (n == 0) store(call.outputs[0].data, call.outputs[0].dtype, 0, 1);
       })},
      {"first gradient taken for all", around([](auto& call, std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) {
           call.outputs[0].set(i, formula(value(call.inputs[0], 0), value(call.inputs[1], i)));
         }
       })},
      {"gradient squared away at 1: g * abs(g)", around([](auto& call, std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) {
           const double g = value(call.inputs[0], i);
           call.outputs[0].set(i, formula(g * std::abs(g), value(call.inputs[1], i)));
         }
       })},
      {"gradient ignored", around([](auto& call, std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) {
           const double g = value(call.inputs[0], i);
           call.outputs[0].set(i, std::isnan(g) ? g : formula(1, value(call.inputs[1], i)));
         }
       })},
  };
}

}  // namespace

std::vector<Mutant> behaviour_mutants() {
  std::vector<Mutant> all;
  for (Row& row : rows()) {
    all.push_back({"behaviour", row.edit, [backward = std::move(row.backward)] {
                     return with_backward("hardswish_v2", {}, backward);
                   }});
  }
  return all;
}

}  // namespace aclgrad::mutants
