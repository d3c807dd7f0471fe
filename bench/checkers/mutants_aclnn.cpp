// SPDX-License-Identifier: Apache-2.0
// Mutants behind the names of the C interface, for checkers of libraries: the one that the
// environment variable ACLGRAD_MUTANT names, or numbers, takes the place of its function. All other
// functions are this project's own.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <type_traits>

#include "aclgrad_ext.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_adaptive_avg_pool2d_backward.h"
#include "aclnnop/aclnn_avgpool2d_backward.h"
#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_binary_cross_entropy_with_logits_backward.h"
#include "aclnnop/aclnn_convolution_backward.h"
#include "aclnnop/aclnn_dropout_do_mask.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_embedding_dense_backward.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_gelu_backward.h"
#include "aclnnop/aclnn_gelu_backward_v2.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "aclnnop/aclnn_hardswish_backward.h"
#include "aclnnop/aclnn_hardswish_backward_v2.h"
#include "aclnnop/aclnn_l1_loss_backward.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_leaky_relu_backward.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_max_pool2d_with_indices_backward.h"
#include "aclnnop/aclnn_mse_loss_backward.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "aclnnop/aclnn_selu_backward.h"
#include "aclnnop/aclnn_sigmoid_backward.h"
#include "aclnnop/aclnn_silu_backward.h"
#include "aclnnop/aclnn_smooth_l1_loss_backward.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "aclnnop/aclnn_softplus_backward.h"
#include "aclnnop/aclnn_tanh_backward.h"
#include "aclnnop/aclnn_threshold_backward.h"
#include "bench/checkers/callee.h"
#include "gradcheck/core/problem.h"

namespace aclgrad::bench {
namespace {

using namespace gradcheck;

constexpr aclnnStatus kNullPointer = 161001;
constexpr aclnnStatus kInvalid = 161002;
constexpr aclnnStatus kInnerError = 561103;
constexpr std::uint64_t kWorkspaceBytes = 64;  // whose contents are the scratch memory's

struct Selected {
  std::string function = {};  // whose place it takes; empty: none
  std::optional<Candidate> candidate = {};
  std::size_t given = 0;  // how many tensors the backward is given
};

const Selected& selected() {
  static const Selected one = [] {
    const char* const wanted = std::getenv("ACLGRAD_MUTANT");
    if (wanted == nullptr) return Selected{};
    // Mutants are made of the program's own operators: these functions, wherever they were loaded.
    Dl_info here{};
    dladdr(reinterpret_cast<void*>(&aclDestroyAclOpExecutor), &here);
    dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
    const std::vector<mutants::Mutant>& all = contestants().all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].family + ": " + all[i].edit != wanted && std::to_string(i) != wanted) continue;
      const Callee callee(all[i], DType::float32);
      const Arrays inputs = callee.draw(1);
      return Selected{callee.candidate().name(), callee.candidate(), callee.given(inputs).size()};
    }
    std::fprintf(stderr, "ACLGRAD_MUTANT: there is no mutant '%s'\n", wanted);
    std::exit(3);
  }();
  return one;
}

template <class Function>
Function* real(const std::string& name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name.c_str()));
}

Dims take(std::int64_t* dims, std::uint64_t count) {
  const Dims taken(dims, dims + count);
  delete[] dims;
  return taken;
}

View view_of(const aclTensor* tensor) {
  View view;
  if (tensor == nullptr) return view;
  aclDataType dtype = ACL_DT_UNDEFINED;
  std::int64_t* dims = nullptr;
  std::uint64_t count = 0;
  void* address = nullptr;
  aclGetDataType(tensor, &dtype);
  view.dtype = static_cast<DType>(dtype);
  aclGetViewShape(tensor, &dims, &count);
  view.shape = take(dims, count);
  aclGetViewStrides(tensor, &dims, &count);
  view.strides = take(dims, count);
  aclGetViewOffset(tensor, &view.offset);
  aclGetStorageShape(tensor, &dims, &count);
  view.storage = count_of(take(dims, count));
  aclGetRawTensorAddr(tensor, &address);
  view.data = static_cast<std::byte*>(address);
  return view;
}

using Run = std::function<std::string(unsigned char poison)>;
std::mutex mutex;
std::set<Run*> executors;  // that are ours

// The tensors of a call in their order: what is given, but for optional ones that are not, then the
// gradients, some of which the header may have as constants. A mutant takes the tensors that it was
// made for.
aclnnStatus plan(const std::vector<const aclTensor*>& tensors, std::size_t outputs,
                 std::uint64_t* size, aclOpExecutor** executor) {
  if (size == nullptr || executor == nullptr || tensors[0] == nullptr) return kNullPointer;
  const Candidate& candidate = *selected().candidate;
  const std::size_t wanted = gradcheck::detail::differentiable(candidate).size();
  const std::size_t inputs = tensors.size() - (outputs == 0 ? wanted : outputs);
  std::vector<View> given;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (tensors[i] != nullptr) given.push_back(view_of(tensors[i]));
  }
  if (given.size() != selected().given) return kInvalid;
  std::vector<View> gradients;
  for (std::size_t k = 0; k < wanted; ++k) gradients.push_back(view_of(tensors[inputs + k]));
  auto* const run = new Run([&candidate, given, gradients](unsigned char poison) {
    return candidate.function({.inputs = given,
                               .outputs = gradients,
                               .threads = aclgradGetNumThreads(),
                               .poison = poison});
  });
  const std::lock_guard lock(mutex);
  executors.insert(run);
  *size = kWorkspaceBytes;
  *executor = reinterpret_cast<aclOpExecutor*>(run);
  return 0;
}

bool take_ours(aclOpExecutor* executor) {
  const std::lock_guard lock(mutex);
  return executors.erase(reinterpret_cast<Run*>(executor)) > 0;
}

aclnnStatus phase_two(const char* name, void* workspace, std::uint64_t size,
                      aclOpExecutor* executor, aclrtStream stream) {
  if (!take_ours(executor)) {
    return real<aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream)>(name)(
        workspace, size, executor, stream);
  }
  const std::unique_ptr<Run> run(reinterpret_cast<Run*>(executor));
  return (*run)(*static_cast<unsigned char*>(workspace)).empty() ? 0 : kInnerError;
}

template <class Function, auto kName>
struct Entry;

template <class... P, auto kName>
struct Entry<aclnnStatus(P...), kName> {
  static aclnnStatus phase_one(P... all) {
    const std::string name = kName();
    if (selected().function != name)
      return real<aclnnStatus(P...)>(name + "GetWorkspaceSize")(all...);
    std::vector<const aclTensor*> tensors;
    std::size_t outputs = 0;
    std::uint64_t* size = nullptr;
    aclOpExecutor** executor = nullptr;
    const auto see = [&]<class T>(T value) {
      if constexpr (std::is_convertible_v<T, const aclTensor*>) tensors.push_back(value);
      if constexpr (std::is_same_v<T, aclTensor*>) ++outputs;
      if constexpr (std::is_same_v<T, std::uint64_t*>) size = value;
      if constexpr (std::is_same_v<T, aclOpExecutor**>) executor = value;
    };
    (see(all), ...);
    return plan(tensors, outputs, size, executor);
  }
};

}  // namespace
}  // namespace aclgrad::bench

extern "C" {

ACL_FUNC_VISIBILITY aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  if (!aclgrad::bench::take_ours(executor)) {
    return aclgrad::bench::real<aclnnStatus(aclOpExecutor*)>("aclDestroyAclOpExecutor")(executor);
  }
  delete reinterpret_cast<aclgrad::bench::Run*>(executor);
  return 0;
}

// Phase one is an indirect function: its resolver gives the instance of the template, so that the
// header alone says which parameters it has.
#define ACLGRAD_MUTANT(name)                                                                      \
  auto* resolve_##name() {                                                                        \
    return &aclgrad::bench::Entry<decltype(name##GetWorkspaceSize),                               \
                                  [] { return #name; }>::phase_one;                               \
  }                                                                                               \
  [[gnu::ifunc("resolve_" #name)]] decltype(name##GetWorkspaceSize) name##GetWorkspaceSize;       \
  aclnnStatus name(void* workspace, uint64_t size, aclOpExecutor* executor, aclrtStream stream) { \
    return aclgrad::bench::phase_two(#name, workspace, size, executor, stream);                   \
  }

ACLGRAD_MUTANT(aclnnAdaptiveAvgPool2dBackward)
ACLGRAD_MUTANT(aclnnAvgPool2dBackward)
ACLGRAD_MUTANT(aclnnBatchNormBackward)
ACLGRAD_MUTANT(aclnnBinaryCrossEntropyWithLogitsBackward)
ACLGRAD_MUTANT(aclnnConvolutionBackward)
ACLGRAD_MUTANT(aclnnDropoutDoMask)
ACLGRAD_MUTANT(aclnnEluBackward)
ACLGRAD_MUTANT(aclnnEmbeddingDenseBackward)
ACLGRAD_MUTANT(aclnnGeGluV3Backward)
ACLGRAD_MUTANT(aclnnGeluBackward)
ACLGRAD_MUTANT(aclnnGeluBackwardV2)
ACLGRAD_MUTANT(aclnnGroupNormBackward)
ACLGRAD_MUTANT(aclnnHardswishBackward)
ACLGRAD_MUTANT(aclnnHardswishBackwardV2)
ACLGRAD_MUTANT(aclnnL1LossBackward)
ACLGRAD_MUTANT(aclnnLayerNormBackward)
ACLGRAD_MUTANT(aclnnLeakyReluBackward)
ACLGRAD_MUTANT(aclnnLogSoftmaxBackward)
ACLGRAD_MUTANT(aclnnMaxPool2dWithIndicesBackward)
ACLGRAD_MUTANT(aclnnMseLossBackward)
ACLGRAD_MUTANT(aclnnNLLLossBackward)
ACLGRAD_MUTANT(aclnnRmsNormGrad)
ACLGRAD_MUTANT(aclnnSeluBackward)
ACLGRAD_MUTANT(aclnnSigmoidBackward)
ACLGRAD_MUTANT(aclnnSiluBackward)
ACLGRAD_MUTANT(aclnnSmoothL1LossBackward)
ACLGRAD_MUTANT(aclnnSoftmaxBackward)
ACLGRAD_MUTANT(aclnnSoftplusBackward)
ACLGRAD_MUTANT(aclnnTanhBackward)
ACLGRAD_MUTANT(aclnnThresholdBackward)

}  // extern "C"
