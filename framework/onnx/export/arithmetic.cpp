// SPDX-License-Identifier: Apache-2.0
// Our operators promote their inputs to a common dtype, ONNX's take one.
#include "aclgrad/ops/arithmetic.h"

#include <cmath>

#include "onnx/export/call.h"

namespace aclgrad::onnx::saving {
namespace {

// ONNX orders no bool, and runtimes no small integers.
Term ordered(const Term& x) {
  const bool is_ordered =
      is_floating(x.dtype) || x.dtype == DType::int32 || x.dtype == DType::int64;
  return is_ordered ? x : cast(x, DType::int32);
}

Term compare(const char* name, const Term& a, const Term& b) {
  const bool is_not_equal = std::string_view(name) == "NotEqual";
  const Term made = test(is_not_equal ? "Equal" : name, {a, b});
  return is_not_equal ? op("Not", {made}) : made;
}

template <class OfTwo, class OfNumber>
void add_comparison(Table& table, const char* name) {
  const bool has_order = std::string_view(name).find("Equal") != 0 && name[0] != 'N';
  table.add<OfTwo>([name, has_order](auto&, Call& call) {
    const std::vector<Term> both = call.promoted();
    return has_order ? compare(name, ordered(both[0]), ordered(both[1]))
                     : compare(name, both[0], both[1]);
  });
  table.add<OfNumber>([name, has_order](auto&, Call& call) {
    const Term x = has_order ? ordered(call.input(0)) : call.input(0);
    const double bound = static_cast<const OfNumber&>(*call.node().op).number;
    // A bool tensor holds 0 and 1 only; a number beside it is compared as one.
    if (x.dtype == DType::boolean || (call.dtype(0) == DType::boolean && has_order)) {
      const Term wide = cast(x, DType::float32);
      return compare(name, wide, number(wide, bound));
    }
    return compare(name, x, number(x, bound));
  });
}

// The larger or smaller of two: of bool `or` and `and`.
template <class OpType>
void add_extreme(Table& table, const char* name, const char* of_bool) {
  table.add<OpType>([name, of_bool](auto&, Call& call) {
    const std::vector<Term> both = call.promoted();
    return op(both[0].dtype == DType::boolean ? of_bool : name, both);
  });
}

// A number beside x, which may be one of the batch.
template <class OpType>
Term number_of(const OpType& a, const Call& call, const Term& x) {
  if (call.is_same_in_all()) {
    const double given = a.number;
    // To a uint8 a negative number adds as its remainder.
    const bool wraps = x.dtype == DType::uint8 && given < 0;
    return number(x, wraps ? given + 256 : given);
  }
  return call.scalar(call.extent_of<OpType>([](const OpType& each) {
    if (std::trunc(each.number) != each.number) {
      refuse("its number depends on the batch, and is not whole");
    }
    return static_cast<std::int64_t>(each.number);
  }),
                     x.dtype);
}

template <class OpType>
void add_with_number(Table& table, const char* name) {
  table
      .add<OpType>([name](const OpType& a, Call& call) {
        const Term x = call.input(0);
        return op(name, {x, number_of(a, call, x)});
      })
      .knows_batch = true;
}

}  // namespace

void add_arithmetic(Table& table) {
  table.add<AddOp>([](auto& a, Call& call) {
    const std::vector<Term> both = call.promoted();
    return both[0] + both[1] * a.alpha;
  });
  table.add<SubOp>([](auto& a, Call& call) {
    const std::vector<Term> both = call.promoted();
    return both[0] - both[1] * a.alpha;
  });
  table.add<MulOp>([](auto&, Call& call) {
    const std::vector<Term> both = call.promoted();
    return both[0].dtype == DType::boolean ? op("And", both) : both[0] * both[1];
  });
  table.add<DivOp>([](auto&, Call& call) {
    return cast(call.input(0), call.output_dtype()) / cast(call.input(1), call.output_dtype());
  });
  add_extreme<MaximumOp>(table, "Max", "Or");
  add_extreme<MinimumOp>(table, "Min", "And");
  add_with_number<AddNumberOp>(table, "Add");
  add_with_number<MulNumberOp>(table, "Mul");
  table
      .add<DivNumberOp>([](auto& a, Call& call) {
        const Term x = cast(call.input(0), call.output_dtype());
        return x / number_of(a, call, x);
      })
      .knows_batch = true;

  table.same<ExpOp>("Exp");
  table.same<LogOp>("Log");
  table.same<SqrtOp>("Sqrt");
  table.same<ReciprocalOp>("Reciprocal");
  table.same<SinOp>("Sin");
  table.same<CosOp>("Cos");
  table.same<ErfOp>("Erf");
  table.same<AbsOp>("Abs");
  table.same<SignOp>("Sign");
  table.same<NegOp>("Neg");
  table.add<RsqrtOp>([](auto&, Call& call) {
    return call.narrowed(op("Reciprocal", {op("Sqrt", {call.wide(0)})}));
  });

  table.add<PowNumberOp>([](auto& a, Call& call) {
    const Term x = call.input(0);
    return op("Pow", {x, number(x, a.exponent)});
  });
  table.add<PowOfNumberOp>([](auto& a, Call& call) {
    const Term x = cast(call.input(0), call.output_dtype());
    return op("Pow", {number(x, a.number), x});
  });
  table.add<PowOp>([](auto&, Call& call) { return op("Pow", call.promoted()); });
  table.add<ClampOp>([](auto& a, Call& call) {
    // Not Clip, which leaves open what it makes of bounds that cross.
    Term x = call.input(0);
    if (a.min) x = op("Max", {x, number(x, *a.min)});
    if (a.max) x = op("Min", {x, number(x, *a.max)});
    return x;
  });
  table.add<ClampTensorOp>([](auto& a, Call& call) {
    const std::vector<Term> all = call.promoted();
    Term x = all[0];
    if (a.has_min) x = op("Max", {x, all[1]});
    if (a.has_max) x = op("Min", {x, all.back()});
    return x;
  });
  add_comparison<GtOp, GtNumberOp>(table, "Greater");
  add_comparison<GeOp, GeNumberOp>(table, "GreaterOrEqual");
  add_comparison<LtOp, LtNumberOp>(table, "Less");
  add_comparison<LeOp, LeNumberOp>(table, "LessOrEqual");
  add_comparison<EqOp, EqNumberOp>(table, "Equal");
  add_comparison<NeOp, NeNumberOp>(table, "NotEqual");
  table.add<WhereOp>([](auto&, Call& call) {
    const std::vector<Term> both = call.promoted(1);
    return where(cast(call.input(0), DType::boolean), both[0], both[1]);
  });
  table.add<AddcmulOp>([](auto& a, Call& call) {
    const std::vector<Term> all = call.promoted();
    return all[0] + all[1] * all[2] * a.factor;
  });
  table.add<AddcdivOp>([](auto& a, Call& call) {
    const std::vector<Term> all = call.promoted();
    return all[0] + all[1] / all[2] * a.factor;
  });
}

}  // namespace aclgrad::onnx::saving
