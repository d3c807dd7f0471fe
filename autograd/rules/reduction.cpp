// SPDX-License-Identifier: Apache-2.0
// A sum's gradient is the gradient again for every element summed: an expanded view, no work. That
// of an element that was found goes back to where the element stands.
#include "aclgrad/ops/reduction.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "aclgrad/ops.h"
#include "rules/table.h"

namespace aclgrad::detail {
namespace {

using Axes = std::vector<std::int64_t>;

// With the axes that were reduced, of extent 1.
Value with_axes(const Value& reduced, const Shape& shape, const Axes& axes) {
  std::vector<std::int64_t> kept = shape.dims();
  for (const std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = 1;
  return reshape(reduced, std::move(kept));
}

Value spread(const Value& gradient, const Shape& shape, const Axes& axes) {
  return expand(with_axes(gradient, shape, axes), shape);
}

double count_of(const Shape& shape, const Axes& axes) {
  double count = 1;
  for (const std::int64_t axis : axes) count *= static_cast<double>(shape[axis]);
  return count;
}

Value number(const Value& x, double value) {
  return x.graph().constant(Tensor::full({}, value, x.dtype()));
}

// 1 for the elements of x that are the extremum, divided by their number, and 0 for the others.
// Where the extremum is NaN, every NaN is; another one is beside a NaN only of what skips these.
Value shares_of_ties(const Value& x, const Value& extremum, const Axes& axes,
                     bool skips_nan = false) {
  const Value found = with_axes(extremum, x.shape(), axes);
  const Value nan = skips_nan ? minimum(ne(x, x), ne(found, found)) : ne(x, x);
  const Value ties = cast(maximum(eq(x, found), nan), x.dtype());
  return div(ties, reduce_sum(ties, axes, true));
}

// The smallest positive number of a floating dtype.
double smallest(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return 0x1p-24;
    case DType::bfloat16:
      return 0x1p-133;
    case DType::float64:
      return std::numeric_limits<double>::denorm_min();
    default:
      return 0x1p-149;
  }
}

// The derivative of a norm: sign(x) (|x| / norm)^(p - 1), and 0 where x is.
Value slope_of_norm(double p, const Axes& axes, const Value& x, const Value& norm) {
  const Value positive = maximum(norm, number(x, smallest(x.dtype())));
  const Value divisor = with_axes(positive, x.shape(), axes);
  if (p == 2) return div(x, divisor);
  const Value magnitude = abs(x);
  const Value size =
      std::isinf(p) ? shares_of_ties(magnitude, norm, axes) : pow(div(magnitude, divisor), p - 1);
  const Value slope = mul(sign(x), size);
  return p < 1 ? masked_fill(slope, eq(x, 0), 0) : slope;
}

// Of a running product y. Before the first zero of a line: the sum of the gradients times the
// products from there on, divided by x. At it: that sum with 1 in the zero's place. Behind it: 0.
Value gradient_of_cumprod(const Value& g, const Value& x, const Value& y, std::int64_t dim) {
  const auto sum_from = [&](const Value& products) {
    return cumsum(mul(g, products), dim, {.reverse = true});
  };
  const Value zero = eq(x, 0);
  const Value zeros = cumsum(cast(zero, DType::int64), dim);
  const Value is_behind = ne(zeros, cast(zero, DType::int64));
  const Value filled = masked_fill(x, zero, 1);
  const Value at_first = masked_fill(x, minimum(zero, eq(zeros, 1)), 1);
  const Value slope = where(zero, sum_from(cumprod(at_first, dim)), div(sum_from(y), filled));
  return masked_fill(slope, is_behind, 0);
}

// The product of all other elements along dim: of those before each and of those behind it.
Value product_of_others(const Value& x, std::int64_t dim) {
  if (x.shape().numel() == 0) return x;
  const auto before = [dim](const Value& v) {
    Dims pads(2 * (v.shape().rank() - static_cast<std::size_t>(dim)), 0);
    pads[pads.size() - 2] = 1;
    pads[pads.size() - 1] = -1;
    return cumprod(pad(v, std::move(pads), 1), dim);
  };
  const Value from_front = before(x);
  const Value from_back = before(flip(x, {dim}));
  return mul(from_front, flip(from_back, {dim}));
}

Axes all_axes(const Value& x) {
  Axes axes(x.shape().rank());
  std::iota(axes.begin(), axes.end(), std::int64_t{0});
  return axes;
}

}  // namespace

bool is_rounded(const RuleCall& given, std::size_t output) {
  const DType dtype = given.output(output).dtype();
  return dtype == DType::float16 || dtype == DType::bfloat16;
}

Value extremum_gradient(const RuleCall& call, const Axes& axes, std::size_t output) {
  const Value shares = shares_of_ties(call.input(), call.output(output), axes);
  return mul(shares, with_axes(call.gradient(output), call.input().shape(), axes));
}

Value extremum_gradient(const RuleCall& call, bool skips_nan) {
  const Axes axes = all_axes(call.input());
  return mul(shares_of_ties(call.input(), call.output(), axes, skips_nan), call.gradient());
}

Value put_back(const RuleCall& call, std::int64_t dim, bool keeps_axis) {
  const Value& x = call.input();
  if (x.shape().rank() == 0) return call.gradient();
  if (call.gradient().shape().numel() == 0) return zeros_for(x);
  std::vector<std::int64_t> kept = call.output(1).shape().dims();
  if (!keeps_axis) kept.insert(kept.begin() + dim, 1);
  const Value g = reshape(call.gradient(), kept);
  return gather_backward(g, x, dim, reshape(call.output(1), kept));
}

Value gradient_of_norm(double p, const Axes& axes, const RuleCall& given, std::size_t i) {
  if (p == 0) return zeros_for(given.input(i));
  const RuleCall call = given.in_float();
  const Value& x = call.input(i);
  const Value size = is_rounded(given, i) ? norm(x, axes, {.p = p}) : call.output(i);
  const Value slope = slope_of_norm(p, axes, x, size);
  return mul(slope, with_axes(call.gradient(i), x.shape(), axes));
}

void add_reduction_rules(RuleTable& table) {
  table.add<ReduceSumOp>(
      [](auto& op, Call call) { return spread(call.gradient(), call.input().shape(), op.axes); });

  table.add<MeanOp>([](auto& op, Call call) {
    // Scaled before it is spread: less work.
    const Value share = mul(call.gradient(), 1 / count_of(call.input().shape(), op.axes));
    return spread(share, call.input().shape(), op.axes);
  });

  table.add_composed<AmaxOp>([](auto& op, Call call) { return extremum_gradient(call, op.axes); });
  table.add_composed<AminOp>([](auto& op, Call call) { return extremum_gradient(call, op.axes); });

  table.add_composed<MaxOfAllOp>([](auto&, Call call) { return extremum_gradient(call); });
  table.add_composed<MinOfAllOp>([](auto&, Call call) { return extremum_gradient(call); });
  table.add_composed<AminmaxOp>([](auto& op, Call call) {
    Value sum;
    for (const std::size_t output : {0, 1}) {
      if (call.has_gradient(output)) add_to(sum, extremum_gradient(call, op.axes, output));
    }
    return sum;
  });

  table.add<NansumOp>([](auto& op, Call call) {
    const Value& x = call.input();
    return masked_fill(spread(call.gradient(), x.shape(), op.axes), ne(x, x), 0);
  });

  table.add_composed<ProdOp>([](auto&, Call call) {
    const Value& x = call.input();
    const Value others = product_of_others(reshape(x, {x.shape().numel()}), 0);
    return mul(call.gradient(), reshape(others, x.shape()));
  });
  table.add_composed<ProdDimOp>([](auto& op, Call call) {
    const Value& x = call.input();
    if (x.shape().rank() == 0) return call.gradient();
    return mul(with_axes(call.gradient(), x.shape(), {op.dim}), product_of_others(x, op.dim));
  });

  // 2 (x - mean) / (n - correction)
  table.add_composed<VarOp>([](auto& op, Call call) {
    const Value& x = call.input();
    const double divisor = count_of(x.shape(), op.axes) - (op.unbiased ? 1 : 0);
    const Value share = mul(with_axes(call.gradient(), x.shape(), op.axes), 2 / divisor);
    return mul(sub(x, mean(x, op.axes, true)), share);
  });

  // (x - mean) / ((n - correction) std)
  table.add_composed<StddevOp>([](auto& op, Call call) {
    const Value& x = call.input();
    const double divisor = count_of(x.shape(), op.axes) - static_cast<double>(op.correction);
    const Value share = mul(div(call.gradient(), call.output()), 1 / divisor);
    const Value safe = masked_fill(share, eq(call.output(), 0), 0);
    return mul(sub(x, mean(x, op.axes, true)), with_axes(safe, x.shape(), op.axes));
  });

  table.add<LogsumexpOp>([](auto& op, Call given) {
    const RuleCall call = given.in_float();
    const Value& x = call.input();
    const Value y = is_rounded(given) ? logsumexp(x, op.axes) : call.output();
    // Of nothing but -infinity the shares are 0, as beside any number.
    const Value from = masked_fill(y, eq(y, -std::numeric_limits<double>::infinity()), 0);
    const Value shares = exp(sub(x, with_axes(from, x.shape(), op.axes)));
    return mul(shares, with_axes(call.gradient(), x.shape(), op.axes));
  });

  table.add<NormOp>([](auto& op, Call call) { return gradient_of_norm(op.p, op.axes, call, 0); });

  table.add<CumsumOp>([](auto& op, Call call) {
    return cumsum(call.gradient(), op.dim, {.exclusive = op.exclusive, .reverse = !op.reverse});
  });

  table.add<CumprodOp>([](auto& op, Call given) {
    const RuleCall call = given.in_float();
    const Value y = is_rounded(given) ? cumprod(call.input(), op.dim) : call.output();
    return gradient_of_cumprod(call.gradient(), call.input(), y, op.dim);
  });

  table.add<MaxOp>([](auto& op, Call call) { return put_back(call, op.dim, op.keepdim); });
  table.add<MinOp>([](auto& op, Call call) { return put_back(call, op.dim, op.keepdim); });
  table.add<CummaxOp>([](auto& op, Call call) { return put_back(call, op.dim); });
  table.add<CumminOp>([](auto& op, Call call) { return put_back(call, op.dim); });
  // With the roles of both changed, the gradient of b is one of a.
  table.add<CdistOp>([](auto& op, Call call) {
    const Value& g = call.gradient();
    const Value& a = call.input(0);
    const Value& b = call.input(1);
    InputGradients gradients(2);
    if (call.needs(0)) gradients[0] = cdist_backward(g, a, b, call.output(), op.p);
    if (call.needs(1)) {
      const auto turned = [](const Value& x) { return transpose(x, -2, -1); };
      gradients[1] = cdist_backward(turned(g), b, a, turned(call.output()), op.p);
    }
    return gradients;
  });
  table.add<TopkOp>([](auto& op, Call call) { return put_back(call, op.dim); });
}

}  // namespace aclgrad::detail
