// SPDX-License-Identifier: Apache-2.0
// Sums, differences and products, with a tensor or a number as the second operand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_sub.h"
#include "tool/chain.h"
#include "tool/dense.h"

namespace aclgrad::gradcheck::detail {
namespace {

const DTypes kRealFloats = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
const DTypes kFractions = {DType::float32, DType::float16, DType::bfloat16,
                           DType::float64, kComplex64,     kComplex128};
const DTypes kAll = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                     DType::int8,    DType::int16,   DType::int32,    DType::int64,
                     DType::uint8,   DType::boolean, kComplex64,      kComplex128};

bool is_whole(double x) { return std::trunc(x) == x; }

// A number of a kind that tensors of integers accept, where it can be.
const aclScalar* number(const LibraryPointer& library, double value) {
  return is_whole(value) ? library->scalar(static_cast<Number>(value), DType::int64)
                         : library->scalar(static_cast<Number>(value), DType::float64);
}

// The types of a list that are not in another.
DTypes without(const DTypes& all, const DTypes& some) {
  DTypes rest;
  for (const DType dtype : all) {
    if (std::find(some.begin(), some.end(), dtype) == some.end()) rest.push_back(dtype);
  }
  return rest;
}

// A number as an operator on tensors of `dtype` takes it.
Number taken(double value, DType dtype) {
  const DType part = part_of(dtype);
  return is_float(part) ? round_to(value, part == DType::bfloat16 ? DType::float32 : part)
                        : static_cast<Number>(value);
}

// A product as a type without fractions takes it.
Number converted(Number x, DType dtype) {
  if (dtype == DType::boolean) return x != 0 ? 1 : 0;
  return is_float(dtype) || is_complex(dtype) ? x : std::trunc(x);
}

enum class Kind { add, sub, mul };

// One element; in BOOL a sum is an or, a difference an exclusive or, a product an and.
Number apply(Kind kind, Number a, Number b, Number alpha, DType dtype) {
  if (dtype == DType::boolean) {
    const bool x = a != 0;
    const bool y = b != 0 && alpha != 0;
    return kind == Kind::add ? x || y : kind == Kind::sub ? x != y : x && y;
  }
  if (kind == Kind::mul) return a * b;
  return kind == Kind::add ? a + alpha * b : a - alpha * b;
}

// What all of them promise: exact, rounded once.
void promise(Subject& s) {
  s.forward_ulp = 0.5005;  // the reference is rounded too, 11 bits further down
  s.wraps = true;
  s.gradient_dtypes = kRealFloats;
  s.checked.model = kRoundedOnce;
}

std::string name_of(Kind kind) {
  return kind == Kind::add ? "Add" : kind == Kind::sub ? "Sub" : "Mul";
}

// The gradients of a binary operator, as the rules make them.
Backward gradient_of(const LibraryPointer& library, Kind kind, double alpha) {
  const double factor = kind == Kind::sub ? -alpha : alpha;
  const aclScalar* scalar =
      kind == Kind::mul ? nullptr : library->scalar(static_cast<Number>(factor), DType::float64);
  return from_chain(library, [=](Chain& chain) {
    const View g = chain.input(0);
    for (std::size_t k = 0; k < 2; ++k) {
      if (!chain.wants(k)) continue;
      const View to = chain.output(k);
      const bool whole = to.shape == g.shape;
      if (kind != Kind::mul && (k == 0 || factor == 1)) {
        chain.sum_to(g, to);
        continue;
      }
      const View product = whole ? to : chain.temporary(g.dtype, g.shape);
      if (kind == Kind::mul) {
        chain.multiply(g, chain.input(2 - k), product);
      } else {
        chain.scale(g, scalar, product);
      }
      if (!whole) chain.sum_to(product, to);
    }
  });
}

using PlanTwo = std::function<aclnnStatus(aclTensor* self, aclTensor* other, const aclScalar* alpha,
                                          aclTensor* out, std::uint64_t*, aclOpExecutor**)>;

// The calls that both the form with an output and the one in place must refuse.
void refuse_alpha(EntryPoint& entry, Kind kind, bool in_place, const PlanTwo& plan) {
  if (kind == Kind::mul) return;
  const auto with = [=](const aclScalar* alpha) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], t[1], alpha, in_place ? nullptr : t[2], size, executor);
    };
  };
  entry.refusals.push_back({"null alpha", 161001, with(nullptr)});
}

Subject binary(const LibraryPointer& library, Kind kind, const Attributes& a,
               const std::optional<Dims>& wanted, const PlanTwo& plan,
               const PlanTwo& plan_in_place) {
  const Dims shape = wanted.value_or(Dims{4, 6});
  const Dims other = a.other.value_or(shape);
  const Dims out = broadcast_shape(shape, other);
  const double alpha = kind == Kind::mul ? 1 : a.alpha;
  const aclScalar* scalar = number(library, alpha);
  Subject s;
  promise(s);
  const DTypes dtypes = is_whole(alpha) ? kAll : kFractions;
  const TensorArgument first{.name = "self", .shape = shape, .free_dtype = true};
  const TensorArgument second{.name = "other", .shape = other, .free_dtype = true};
  s.forward = {
      .api = "aclnn" + name_of(kind),
      .tensors = {first, second, {.name = "out", .shape = out, .free_dtype = true}},
      .inputs = 2,
      .plan = [=](auto t, auto* size,
                  auto** executor) { return plan(t[0], t[1], scalar, t[2], size, executor); },
      .highest_rank = 8,
      .dtypes = dtypes,
      .mixed = without(kAll, dtypes)};
  refuse_alpha(s.forward, kind, false, plan);
  if (out == shape) {
    EntryPoint& form = s.other_forms.emplace_back(
        EntryPoint{.api = "aclnnInplace" + name_of(kind),
                   .tensors = {first, second},
                   .inputs = 2,
                   .plan =
                       [=](auto t, auto* size, auto** executor) {
                         return plan_in_place(t[0], t[1], scalar, nullptr, size, executor);
                       },
                   .highest_rank = 8,
                   .written = {0},
                   .dtypes = dtypes,
                   .mixed = without(kAll, dtypes)});
    form.tensors[0].free_shape = other.empty();
    refuse_alpha(form, kind, true, plan_in_place);
  }
  s.bilinear = kind == Kind::mul;
  s.reference = [=](const Arrays& in, DType dtype) {
    return Arrays{dense::zip(in[0], in[1], [&](Number x, Number y) {
      return apply(kind, x, y, taken(alpha, dtype), dtype);
    })};
  };
  s.checked.name = s.forward.api;
  s.checked.inputs = {Input{.name = "self", .shape = shape, .low = -9, .high = 9},
                      Input{.name = "other", .shape = other, .low = -9, .high = 9}};
  if (shape == other) {
    s.checked.scalar = [=](std::span<const Number> x) {
      return apply(kind, x[0], x[1], alpha, DType::float64);
    };
  } else {
    s.checked.forward = [=](const Arrays& in) {
      return Arrays{dense::zip(in[0], in[1], [&](Number x, Number y) {
        return apply(kind, x, y, alpha, DType::float64);
      })};
    };
    // What is summed was rounded before, unless it was the gradient itself.
    if (kind == Kind::mul || alpha != 1) s.checked.model.terms = 1;
  }
  s.checked.masks = true;
  s.calls = Chain::calls();
  s.checked.backward = gradient_of(library, kind, alpha);
  if (kind != Kind::mul) s.checked.attributes = fmt::format("alpha={}", alpha);
  if (kind != Kind::mul) s.checked.reproduce = fmt::format("--alpha {}", alpha);
  if (a.other) {
    s.checked.attributes +=
        fmt::format("{}other={}", s.checked.attributes.empty() ? "" : " ", dims_text(other));
    s.checked.reproduce += fmt::format("{}--other {}", s.checked.reproduce.empty() ? "" : " ",
                                       other.empty() ? "0d" : dims_text(other));
  }
  return s;
}

using PlanOne =
    std::function<aclnnStatus(aclTensor* self, const aclScalar* other, const aclScalar* alpha,
                              aclTensor* out, std::uint64_t*, aclOpExecutor**)>;

Subject with_number(const LibraryPointer& library, Kind kind, const Attributes& a,
                    const std::optional<Dims>& wanted, const PlanOne& plan,
                    const PlanOne& plan_in_place) {
  const Dims shape = wanted.value_or(Dims{4, 6});
  const double alpha = kind == Kind::mul ? 1 : a.alpha;
  const double value = a.value;
  const aclScalar* scalar = number(library, alpha);
  const aclScalar* operand = number(library, value);
  Subject s;
  promise(s);
  const bool whole = is_whole(alpha) && is_whole(value);
  s.wraps = whole;
  // A number beside a BOOL tensor makes the result a number, which a product converts back.
  DTypes dtypes = whole || kind == Kind::mul ? kAll : kFractions;
  if (kind != Kind::mul) std::erase(dtypes, DType::boolean);
  const auto entry = [&](const std::string& api, bool in_place, const PlanOne& call) {
    const auto with = [=](const aclScalar* x, const aclScalar* factor) -> PlanFunction {
      return [=](auto t, auto* size, auto** executor) {
        return call(t[0], x, factor, in_place ? nullptr : t[1], size, executor);
      };
    };
    EntryPoint point{.api = api,
                     .tensors = {{.name = "self", .shape = shape, .free_dtype = true}},
                     .inputs = 1,
                     .plan = with(operand, scalar),
                     .highest_rank = 8,
                     .refusals = {{"null other", 161001, with(nullptr, scalar)}},
                     .dtypes = dtypes,
                     .mixed = without(kAll, dtypes)};
    if (kind == Kind::mul) {
      // On one product the result must convert to the tensor's type by the usual rules.
      point.refuses = [whole](const std::string& product, DType dtype) {
        const bool number = is_float(dtype) || is_complex(dtype);
        return product == "Ascend950" && !number && (!whole || dtype == DType::boolean);
      };
    }
    if (in_place) {
      point.written = {0};
      point.tensors[0].free_shape = true;
    } else {
      point.tensors.push_back({.name = "out", .shape = shape, .free_dtype = true});
    }
    if (kind != Kind::mul) {
      point.refusals.push_back({"null alpha", 161001, with(operand, nullptr)});
    }
    return point;
  };
  s.forward = entry("aclnn" + name_of(kind) + "s", false, plan);
  s.other_forms = {entry("aclnnInplace" + name_of(kind) + "s", true, plan_in_place)};
  s.reference = [=](const Arrays& in, DType dtype) {
    return Arrays{dense::map(in[0], [&](Number x) {
      if (kind == Kind::mul) return converted(x * taken(value, dtype), dtype);
      return apply(kind, x, taken(value, dtype), taken(alpha, dtype), dtype);
    })};
  };
  s.checked = elementwise(
      s.forward.api,
      [=](const auto& x) {
        const long double by = kind == Kind::mul ? value : 1.0;
        const long double plus = kind == Kind::add ? alpha * value : -alpha * value;
        return kind == Kind::mul ? x * by : x + plus;
      },
      -9, 9);
  s.checked.inputs[0].name = "self";
  s.checked.inputs[0].shape = shape;
  s.checked.model = kRoundedOnce;
  s.calls = Chain::calls();
  s.checked.backward = from_chain(
      library,
      [=](Chain& chain) {
        if (kind == Kind::mul) {
          chain.scale(chain.input(0), operand, chain.output(0));
        } else {
          chain.copy(chain.input(0), chain.output(0));
        }
      },
      false);
  s.checked.attributes = fmt::format("value={}", value);
  s.checked.reproduce = fmt::format("--value {}", value);
  if (kind != Kind::mul) {
    s.checked.attributes += fmt::format(" alpha={}", alpha);
    s.checked.reproduce += fmt::format(" --alpha {}", alpha);
  }
  return s;
}

Subject add(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnAddGetWorkspaceSize);
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceAddGetWorkspaceSize);
  return binary(library, Kind::add, a, shape, plan,
                [=](auto* self, auto* other, auto* alpha, auto*, auto* size, auto** executor) {
                  return in_place(self, other, alpha, size, executor);
                });
}

Subject sub(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnSubGetWorkspaceSize);
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceSubGetWorkspaceSize);
  return binary(library, Kind::sub, a, shape, plan,
                [=](auto* self, auto* other, auto* alpha, auto*, auto* size, auto** executor) {
                  return in_place(self, other, alpha, size, executor);
                });
}

Subject mul(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnMulGetWorkspaceSize);
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceMulGetWorkspaceSize);
  return binary(
      library, Kind::mul, a, shape,
      [=](auto* self, auto* other, auto*, auto* out, auto* size, auto** executor) {
        return plan(self, other, out, size, executor);
      },
      [=](auto* self, auto* other, auto*, auto*, auto* size, auto** executor) {
        return in_place(self, other, size, executor);
      });
}

Subject adds(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnAddsGetWorkspaceSize);
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceAddsGetWorkspaceSize);
  return with_number(library, Kind::add, a, shape, plan,
                     [=](auto* self, auto* x, auto* alpha, auto*, auto* size, auto** executor) {
                       return in_place(self, x, alpha, size, executor);
                     });
}

Subject subs(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnSubsGetWorkspaceSize);
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceSubsGetWorkspaceSize);
  return with_number(library, Kind::sub, a, shape, plan,
                     [=](auto* self, auto* x, auto* alpha, auto*, auto* size, auto** executor) {
                       return in_place(self, x, alpha, size, executor);
                     });
}

Subject muls(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  auto* plan = ACLGRAD_LOOKUP(aclnnMulsGetWorkspaceSize);
  auto* in_place = ACLGRAD_LOOKUP(aclnnInplaceMulsGetWorkspaceSize);
  return with_number(
      library, Kind::mul, a, shape,
      [=](auto* self, auto* x, auto*, auto* out, auto* size, auto** executor) {
        return plan(self, x, out, size, executor);
      },
      [=](auto* self, auto* x, auto*, auto*, auto* size, auto** executor) {
        return in_place(self, x, size, executor);
      });
}

}  // namespace

std::vector<KnownOperator> arithmetic_operators() {
  const std::vector<Attributes> factors = {{},
                                           {.alpha = -3},
                                           {.alpha = 0.75},
                                           {.alpha = -3, .other = Dims{6}},
                                           {.other = Dims{4, 1}},
                                           {.alpha = 0.75, .other = Dims{3, 1, 6}}};
  const std::vector<Attributes> shapes = {
      {}, {.other = Dims{6}}, {.other = Dims{4, 1}}, {.other = Dims{3, 1, 6}}, {.other = Dims{}}};
  const std::vector<Attributes> numbers = {{.alpha = -3, .value = 2},
                                           {.alpha = 0.75, .value = -1.5}};
  return {{"add", add, factors, {"--alpha", "--other"}},
          {"sub", sub, factors, {"--alpha", "--other"}},
          {"mul", mul, shapes, {"--other"}},
          {"adds", adds, numbers, {"--value", "--alpha"}},
          {"subs", subs, numbers, {"--value", "--alpha"}},
          {"muls", muls, {{.value = 2}, {.value = -1.5}}, {"--value"}}};
}

}  // namespace aclgrad::gradcheck::detail
