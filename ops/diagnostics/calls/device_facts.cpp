// SPDX-License-Identifier: Apache-2.0
// The table of what devices were seen to answer. None of it was measured for this project: each row
// says which free program's authors have written it down, and for which version of the vendor's
// toolkit. A row that another one contradicts is left out. To add one: the functions (without
// "aclnn"), the products, a condition on the arguments by their names in the header, the condition
// in words, the answer, the source.
#include "ops/diagnostics/calls/device_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "ops/meta/tensor.h"

namespace aclgrad::diagnostics {
namespace {

using ops::Soc;

// A call that phase one has accepted, so that its handles are live.
class Seen {
 public:
  Seen(const ops::OperatorSpec& spec, std::span<const ops::Argument> arguments)
      : spec_(spec), arguments_(arguments) {}

  // Null where it is not given.
  const aclTensor* tensor(std::string_view name) const {
    const ops::Argument* const argument = find(name);
    return argument == nullptr ? nullptr : argument->tensor();
  }
  std::span<const aclTensor* const> list(std::string_view name) const {
    const ops::Argument* const argument = find(name);
    if (argument == nullptr || argument->tensor_list() == nullptr) return {};
    return argument->tensor_list()->elements;
  }
  std::span<const int64_t> ints(std::string_view name) const {
    const ops::Argument* const argument = find(name);
    if (argument == nullptr || argument->int_array() == nullptr) return {};
    return argument->int_array()->values;
  }
  bool is(std::string_view name, aclDataType dtype) const {
    const aclTensor* const found = tensor(name);
    return found != nullptr && found->dtype == dtype;
  }
  bool is(std::string_view name, aclFormat format) const {
    const aclTensor* const found = tensor(name);
    return found != nullptr && found->format == format;
  }
  size_t rank(std::string_view name) const {
    const aclTensor* const found = tensor(name);
    return found == nullptr ? 0 : found->view_shape.size();
  }

 private:
  const ops::Argument* find(std::string_view name) const {
    for (size_t i = 0; i < arguments_.size(); ++i) {
      if (name == spec_.parameters[i].name) return &arguments_[i];
    }
    return nullptr;
  }

  const ops::OperatorSpec& spec_;
  std::span<const ops::Argument> arguments_;
};

// ---- Conditions
// -----------------------------------------------------------------------------------

// From its first to its last element lies more than the elements.
bool has_gaps(const aclTensor* tensor) {
  if (tensor == nullptr || ops::is_empty(*tensor)) return false;
  int64_t span = 1;
  int64_t count = 1;
  for (size_t d = 0; d < tensor->view_shape.size(); ++d) {
    const int64_t stride = tensor->view_strides[d];
    span += (tensor->view_shape[d] - 1) * (stride < 0 ? -stride : stride);
    count *= tensor->view_shape[d];
  }
  return span > count;
}

bool is_matrix_of_rows(const aclTensor* tensor) {
  return tensor == nullptr || ops::is_contiguous(*tensor);
}

int64_t last_size(const aclTensor* tensor) {
  if (tensor == nullptr || tensor->view_shape.size() == 0) return 0;
  return tensor->view_shape[tensor->view_shape.size() - 1];
}

bool always(const Seen&) { return true; }
bool is_of_float(const Seen& call) {
  return call.is("self", ACL_FLOAT) || call.is("mat1", ACL_FLOAT) || call.is("input", ACL_FLOAT);
}
bool is_of_int64(const Seen& call) {
  return call.is("self", ACL_INT64) || call.is("selfRef", ACL_INT64);
}
bool has_more_than_50(const Seen& call) {
  return std::max(call.list("x").size(), call.list("x1").size()) > 50;
}
bool pads_more_than_half(const Seen& call) {
  const auto padding = call.ints("padding");
  const auto kernel = call.ints("kernelSize");
  for (size_t i = 0; i < padding.size() && !kernel.empty(); ++i) {
    if (2 * padding[i] > kernel[std::min(i, kernel.size() - 1)]) return true;
  }
  return false;
}

// ---- Products
// -------------------------------------------------------------------------------------

using Products = uint32_t;
constexpr Products only(Soc soc) { return Products{1} << static_cast<int>(soc); }

constexpr Products k910 = only(Soc::kAscend910);
constexpr Products k310P = only(Soc::kAscend310P);
constexpr Products k310B = only(Soc::kAscend310B);
constexpr Products k910B = only(Soc::kAscend910B);
constexpr Products kA2A3 = k910B | only(Soc::kAscend910_93);  // "Ascend 910, 910C"
constexpr Products kOlder = k910 | k310P | k310B;
constexpr Products kAllBut950 = kOlder | kA2A3;

constexpr char kCandle[] = "candle 72f5f0b, CANN 8";
constexpr char kCandle85[] = "candle 72f5f0b, CANN 8.5.0";
constexpr char kCandle90[] = "candle 72f5f0b, CANN 9.0.0";
constexpr char kTorchFl[] = "Torch-FL 1adbc97, CANN 9.0.0";
constexpr char kGgml[] = "ggml d99724f";
constexpr char kOpPlugin[] = "op-plugin 517f2e7";

struct Fact {
  std::string_view functions;  // with spaces between them
  Products products;
  bool (*holds)(const Seen& call);
  const char* condition;  // in words; empty: every call
  const char* answer;     // behind "this "
  const char* source;
};

constexpr Fact kFacts[] = {
    // ---- Formats, dtypes, shapes ----
    {"MaxPool2dWithIndicesBackward", kA2A3,
     [](const Seen& call) { return call.is("indices", ACL_INT64); }, "indices is INT64, not INT32",
     "was refused with 161002", kTorchFl},
    {"MaxPool2dWithIndicesBackward", kA2A3,
     [](const Seen& call) {
       return call.is("gradOutput", ACL_FORMAT_ND) || call.is("self", ACL_FORMAT_ND);
     },
     "a tensor has the format ND, not NCHW", "was refused with 161002", kTorchFl},
    {"MaxPool2dWithIndices", kAllBut950, pads_more_than_half,
     "padding is more than half of kernelSize", "is refused", kGgml},
    {"AdaptiveMaxPool3d AdaptiveMaxPool3dBackward", kAllBut950,
     [](const Seen& call) { return call.is("indices", ACL_INT64); }, "indices is INT64, not INT32",
     "is never called: only Ascend950 has it", kOpPlugin},
    {"BatchNorm", kA2A3,
     [](const Seen& call) { return call.rank("input") == 4 && call.is("input", ACL_FORMAT_ND); },
     "input has rank 4 and the format ND, not NCHW", "was refused with 561103", kTorchFl},
    {"Cumsum", kA2A3, [](const Seen& call) { return call.is("self", ACL_BOOL); }, "self is BOOL",
     "was refused with 161002", kTorchFl},
    {"PreluBackward", kA2A3,
     [](const Seen& call) {
       return call.rank("weight") > 1 && last_size(call.tensor("weight")) > 1 &&
              call.rank("gradWeight") != 1;
     },
     "gradWeight has the shape of a weight of rank 2, not rank 1", "was refused", kTorchFl},
    {"PreluBackward", kA2A3,
     [](const Seen& call) {
       return call.rank("weight") > 1 && last_size(call.tensor("weight")) == 1 &&
              call.rank("gradWeight") == 1;
     },
     "gradWeight is [1] beside a weight of [1, 1]", "was refused", kTorchFl},
    {"SwiGlu", kA2A3,
     [](const Seen& call) {
       const aclTensor* const x = call.tensor("x");
       return x != nullptr && (x->storage_shape.size() + x->view_shape.size()) % 2 != 0;
     },
     "the ranks of x and of its storage are not both odd or both even", "was refused", kGgml},
    {"RotaryPositionEmbedding", kA2A3,
     [](const Seen& call) { return last_size(call.tensor("x")) > 896; },
     "the last size is more than 896", "is refused", kGgml},
    {"RotaryPositionEmbedding", kA2A3,
     [](const Seen& call) {
       const aclTensor *const x = call.tensor("x"), *const out = call.tensor("yOut");
       return x != nullptr && out != nullptr && x->data == out->data && x->offset == out->offset &&
              has_gaps(out);
     },
     "it works in place on a view with gaps", "gave wrong values", kGgml},
    {"WeightQuantBatchMatmulV2", kA2A3,
     [](const Seen& call) { return last_size(call.tensor("weight")) > 65535; },
     "the last size of weight is more than 65535", "is refused", kGgml},

    // ---- Strides ----
    {"Silu Neg", k910B, [](const Seen& call) { return has_gaps(call.tensor("self")); },
     "self is a view with gaps", "was refused with 561103", kCandle90},
    {"Cat", k910B,
     [](const Seen& call) {
       const auto tensors = call.list("tensors");
       return std::any_of(tensors.begin(), tensors.end(), has_gaps);
     },
     "a tensor of the list is a view with gaps", "was refused with 561103, and later calls failed",
     kCandle90},
    {"Matmul", k910B,
     [](const Seen& call) {
       return (call.rank("self") >= 3 || call.rank("mat2") >= 3) &&
              !(is_matrix_of_rows(call.tensor("self")) && is_matrix_of_rows(call.tensor("mat2")));
     },
     "an operand of rank 3 or more is not contiguous", "was refused with 561103", kCandle85},

    // ---- Lists ----
    {"ForeachMulScalarV2 ForeachAddScalarV2 ForeachAddcmulScalarV2 ForeachLerpScalar ForeachSqrt",
     kA2A3, has_more_than_50, "a list has more than 50 tensors",
     "left those from number 50 on as they were", kTorchFl},
    {"ForeachDivScalarList ForeachAddcdivScalarList", kA2A3, has_more_than_50,
     "a list has more than 50 tensors", "was refused with 561002 or 161002", kTorchFl},
    {"ForeachMulScalarV2 ForeachNorm ForeachAddScalarV2 ForeachAddListV2 ForeachSqrt "
     "ForeachMulList "
     "ForeachDivList ForeachAddcmulScalarV2 ForeachAddcdivScalarV2 ForeachLerpScalar",
     kOlder, always, "", "is never called: only 910B, 910_93 and 950 have it", kOpPlugin},

    // ---- Whole functions ----
    {"InstanceNorm Einsum", k910B, always, "", "was refused with 161002", kCandle},
    {"Square", k910B, always, "", "was refused with 161002", kCandle90},
    {"UpsampleNearest1d", k910B, always, "", "gave wrong values", kCandle},
    {"Frac Sinc", k910, always, "", "was refused with 561000", kCandle},
    {"Gather", k910, [](const Seen& call) { return call.rank("self") > 1; },
     "self has several dimensions", "was refused with 561103", kCandle},
    {"InplaceNormal", k910, always, "", "crashed", kCandle},
    {"Matmul Mm Addmm Mv", k310B | k910, is_of_float, "the tensors are FLOAT, not FLOAT16",
     "was refused", kCandle},
    {"Dot Atan2 Lerps IsClose Diag DropoutDoMask Softplus Mish Topk Gather", k310B, always, "",
     "was refused with 561103", kCandle},
    {"SWhere Flip", k310B, always, "", "was refused with 561000", kCandle},
    {"RemainderTensorTensor BatchNorm", k310B, always, "", "was refused with 161002", kCandle},
    {"LtTensor GtTensor", k310B, is_of_int64, "self is INT64", "crashed", kCandle},
    {"LayerNorm", k310B, is_of_float, "input is FLOAT, not FLOAT16", "was refused with 561103",
     kCandle},
    {"MaxPool Ger FusedInferAttentionScoreV2", k310P, always, "", "is not there", kGgml},
    {"MaxPool3dWithArgmax MaxPool3dWithArgmaxBackward Logit LogitGrad FastGelu FastGeluBackward",
     kOlder, always, "", "is never called: only 910B, 910_93 and 950 have it", kOpPlugin},
    {"AvgPool3d AvgPool3dBackward Im2col", kOlder, always, "",
     "is never called: 910B1 is the first to have it", kOpPlugin},
    {"UnfoldGrad", kOlder, always, "", "is never called: only 910B and 910_93 have it", kOpPlugin},
};

bool has_word(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' '))
      return true;
  }
  return false;
}

const char* product_name(Soc soc) {
  switch (soc) {
    case Soc::kAscend910:
      return "910";
    case Soc::kAscend310P:
      return "310P";
    case Soc::kAscend310B:
      return "310B";
    case Soc::kAscend910B:
      return "910B";
    case Soc::kAscend910_93:
      return "910_93";
    case Soc::kAscend950:
      return "950";
  }
  return "";
}

}  // namespace

std::vector<std::string> device_answers(const ops::OperatorSpec& spec,
                                        std::span<const ops::Argument> arguments, Soc soc) {
  constexpr std::string_view kPrefix = "aclnn";
  std::vector<std::string> answers;
  const std::string_view name = std::string_view(spec.name).substr(kPrefix.size());
  const Seen call(spec, arguments);
  for (const Fact& fact : kFacts) {
    if ((fact.products & only(soc)) == 0 || !has_word(fact.functions, name) || !fact.holds(call)) {
      continue;
    }
    answers.push_back(fmt::format("{}: {}{}on {} this {} (source: {}).", spec.name, fact.condition,
                                  *fact.condition == '\0' ? "" : "; ", product_name(soc),
                                  fact.answer, fact.source));
  }
  return answers;
}

}  // namespace aclgrad::diagnostics
