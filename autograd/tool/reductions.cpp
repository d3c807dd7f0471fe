// SPDX-License-Identifier: Apache-2.0
// Sums and means over dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "aclgrad/error.h"
#include "aclnnop/aclnn_mean.h"
#include "aclnnop/aclnn_reduce_sum.h"
#include "tool/chain.h"
#include "tool/dense.h"

namespace aclgrad::gradcheck::detail {
namespace {

const DTypes kNumbers = {DType::float32, DType::float16, DType::bfloat16, DType::float64,
                         DType::int8,    DType::int16,   DType::int32,    DType::int64,
                         DType::uint8,   kComplex64,     kComplex128};

std::string dims_list(const Dims& dims) { return fmt::format("{}", fmt::join(dims, ",")); }

void require_dims(const Dims& dims, std::size_t tensor_rank) {
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(tensor_rank, 1));
  std::set<std::int64_t> seen;
  for (const std::int64_t dim : dims) {
    if (dim < -rank || dim >= rank) {
      throw ValueError(fmt::format("dim {} is not one of a tensor of rank {}", dim, tensor_rank));
    }
    if (!seen.insert(dim < 0 ? dim + rank : dim).second) {
      throw ValueError(fmt::format("dims {} name a dimension twice", dims_list(dims)));
    }
  }
}

template <class Plan>
Subject reduction(const LibraryPointer& library, const std::string& api, Plan plan, bool is_mean,
                  const Attributes& a, const std::optional<Dims>& wanted) {
  const Dims shape = wanted.value_or(Dims{2, 3, 4});
  require_dims(a.dims, shape.size());
  const Dims dims = dense::normalized(a.dims, shape.size());
  const bool keep = a.keep_dims;
  Dims out;
  Dims kept = shape;
  std::int64_t terms = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const bool summed =
        std::find(dims.begin(), dims.end(), static_cast<std::int64_t>(d)) != dims.end();
    if (summed) terms *= shape[d];
    if (summed) kept[d] = 1;
    if (!summed || keep) out.push_back(kept[d]);
  }
  const aclIntArray* over = library->int_array(a.dims);
  const std::optional<DType> into = a.into;
  const auto rank = static_cast<std::int64_t>(std::max<std::size_t>(shape.size(), 1));
  // The dtype of the sum is the output's; it is asked of the tensor, so that one plan serves all.
  auto* dtype_of = ACLGRAD_LOOKUP(aclGetDataType);
  const auto with = [=](const aclIntArray* d, std::optional<aclDataType> dtype) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      aclDataType used = ACL_DT_UNDEFINED;
      if (dtype) {
        used = *dtype;
      } else if (t[1] != nullptr) {
        dtype_of(t[1], &used);
      }
      return plan(t[0], d, keep, used, t[1], size, executor);
    };
  };
  Subject s;
  s.forward = {
      .api = api,
      .tensors = {{.name = "self", .shape = shape, .free_dtype = true},
                  {.name = "out", .shape = out, .dtype = into, .free_dtype = true}},
      .inputs = 1,
      .plan = with(over, std::nullopt),
      .highest_rank = 8,
      .refusals =
          {{"null dims", 161001, with(nullptr, std::nullopt)},
           {"a dim that is out of range", 161002, with(library->int_array({rank}), std::nullopt)},
           {"a dim below the range", 161002, with(library->int_array({-rank - 1}), std::nullopt)},
           {"a dim that comes twice", 161002, with(library->int_array({0, -rank}), std::nullopt)},
           {"a dtype that is not in the list", 161002, with(over, ACL_UINT16)}},
      .dtypes = kNumbers};
  s.forward.tensors[0].free_shape = a.dims.empty() && !keep;
  if (is_mean) {
    // A mean of complex numbers does not convert to a real one.
    if (into) std::erase_if(s.forward.dtypes, is_complex);
  } else {
    s.forward.refusals.push_back({"a dtype that is not out's", 161002, with(over, ACL_FLOAT16)});
    s.forward.dtypes.push_back(DType::boolean);
  }
  s.forward_ulp = 0.51;
  s.forward_ulp_16bit = 0.51;
  s.wraps = true;
  const auto exact = [=](const Arrays& in, bool magnitudes) {
    Array result = dense::sum(in[0], dims, keep, magnitudes);
    if (!is_mean) return Arrays{result};
    return Arrays{dense::map(result, [&](Number x) { return x / static_cast<Number>(terms); })};
  };
  s.reference = [=](const Arrays& in, DType dtype) {
    const DType target = into.value_or(dtype);
    Array result = exact(in, false)[0];
    if (target == DType::boolean) {
      result = dense::map(result, [](Number x) -> Number { return x != 0; });
    } else if (!is_float(target) && !is_complex(target)) {
      result = dense::map(result, [](Number x) { return std::trunc(x); });
    }
    return Arrays{result};
  };
  s.magnitude = [=](const Arrays& in) { return exact(in, true); };
  s.checked.name = api;
  s.checked.inputs = {Input{.name = "self", .shape = shape}};
  s.checked.forward = [=](const Arrays& in) { return exact(in, false); };
  s.checked.model = {.final_ulp_16bit = 0.5, .final_ulp = 0.5, .inner = 1};
  s.checked.attributes = fmt::format("dims=[{}] keepDims={}", dims_list(a.dims), keep);
  s.checked.reproduce = a.dims.empty() ? "" : "--dims=" + dims_list(a.dims);
  if (keep) s.checked.reproduce += s.checked.reproduce.empty() ? "--keep-dims" : " --keep-dims";
  if (into) {
    s.checked.attributes += fmt::format(" dtype={}", short_name(*into));
    s.checked.reproduce +=
        fmt::format("{}--into {}", s.checked.reproduce.empty() ? "" : " ", short_name(*into));
    if (!is_float(*into)) return s;
  }
  const aclScalar* share =
      library->scalar(1 / static_cast<Number>(std::max<std::int64_t>(terms, 1)), DType::float64);
  s.gradient_dtypes = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  s.checked.saved = [](const Arrays& in, const Arrays&, const Array& cotangent) {
    return Arrays{cotangent, in[0]};
  };
  s.checked.saved_dtypes = {into};
  // The factor is rounded as the scaled gradient is.
  if (is_mean) s.checked.model.terms = 1;
  s.calls = Chain::calls();
  s.checked.backward = from_chain(library, [=](Chain& chain) {
    View g = chain.input(0);
    if (is_mean) {
      if (g.dtype != chain.output(0).dtype) {
        // Divided in the input's type, whatever that of the result is.
        const View same = chain.temporary(chain.output(0).dtype, g.shape);
        chain.copy(g, same);
        g = same;
      }
      const View scaled = chain.temporary(g.dtype, g.shape);
      chain.scale(g, share, scaled);
      g = scaled;
    }
    View wide = g;
    if (!keep) {
      for (const std::int64_t d : dims) wide = with_axis(wide, static_cast<std::size_t>(d));
    }
    chain.copy(expanded(wide, shape), chain.output(0));
  });
  return s;
}

Subject reduce_sum(const LibraryPointer& library, const Attributes& a,
                   const std::optional<Dims>& shape) {
  return reduction(library, "aclnnReduceSum", ACLGRAD_LOOKUP(aclnnReduceSumGetWorkspaceSize), false,
                   a, shape);
}

// The other form of the mean, in self's dtype. With an empty list it may also reduce nothing, which
// is a conversion.
EntryPoint second_form(const LibraryPointer& library, const EntryPoint& first,
                       const Attributes& a) {
  auto* plan = ACLGRAD_LOOKUP(aclnnMeanV2GetWorkspaceSize);
  const bool keep = a.keep_dims;
  const auto with = [=](const aclIntArray* dims) -> PlanFunction {
    return [=](auto t, auto* size, auto** executor) {
      return plan(t[0], dims, keep, false, t[1], size, executor);
    };
  };
  EntryPoint form = first;
  form.api = "aclnnMeanV2";
  form.plan = with(library->int_array(a.dims));
  form.refusals = {{"null dim", 161001, with(nullptr)},
                   {"a dim that is out of range", 161002, with(library->int_array({25}))},
                   {"a dim that comes twice", 161002, with(library->int_array({0, 0}))}};
  return form;
}

Subject mean(const LibraryPointer& library, const Attributes& a, const std::optional<Dims>& shape) {
  Subject s =
      reduction(library, "aclnnMean", ACLGRAD_LOOKUP(aclnnMeanGetWorkspaceSize), true, a, shape);
  if (!a.into) s.other_forms = {second_form(library, s.forward, a)};
  return s;
}

}  // namespace

std::vector<KnownOperator> reduction_operators() {
  const std::vector<Attributes> forms = {{},
                                         {.dims = {0, -1}},
                                         {.dims = {1}, .keep_dims = true},
                                         {.dims = {-2}, .into = DType::float32}};
  const std::vector<std::string> options = {"--dims", "--keep-dims", "--into"};
  return {{"reduce_sum", reduce_sum, forms, options}, {"mean", mean, forms, options}};
}

}  // namespace aclgrad::gradcheck::detail
