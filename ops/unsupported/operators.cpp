// SPDX-License-Identifier: Apache-2.0
// The operators of aclnn_operators_unsupported.h: one line each.
#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "aclgrad_common/phase_one.h"
#include "aclnnop/aclnn_operators_unsupported.h"
#include "ops/meta/if_memory_allows.h"
#include "ops/meta/operator.h"

namespace aclgrad::ops::unsupported {
namespace {

aclnnStatus refuse(const char* function) noexcept {
  if_memory_allows([&] {
    report(function, kRuntimeError,
           "this operator is declared so that programs compile, and is not there.",
           "No kernel of this library carries it out; docs/clients.md lists what is there.");
  });
  return kRuntimeError;
}

}  // namespace

// Phase one has the parameters of its declaration (as in ops/meta/entry_points.h).
#define ACLGRAD_UNSUPPORTED(name)                                                           \
  extern "C" ACL_FUNC_VISIBILITY decltype(::name##GetWorkspaceSize) name##GetWorkspaceSize; \
  template <class Indices>                                                                  \
  struct name##PhaseOne;                                                                    \
  template <size_t... kIndices>                                                             \
  struct name##PhaseOne<std::index_sequence<kIndices...>> {                                 \
    using PhaseOne = ::aclgrad::common::PhaseOne<decltype(name##GetWorkspaceSize)>;         \
    [[gnu::used]] friend aclnnStatus name##GetWorkspaceSize(                                \
        typename PhaseOne::template Type<kIndices>..., uint64_t*, aclOpExecutor**) {        \
      return refuse(#name "GetWorkspaceSize");                                              \
    }                                                                                       \
  };                                                                                        \
  template struct name##PhaseOne<std::make_index_sequence<                                  \
      ::aclgrad::common::PhaseOne<decltype(name##GetWorkspaceSize)>::kCount>>;              \
  [[maybe_unused]] static constexpr auto* name##PhaseOneUsed = name##GetWorkspaceSize;      \
  extern "C" ACL_FUNC_VISIBILITY decltype(::name) name;                                     \
  aclnnStatus name(void*, uint64_t, aclOpExecutor*, aclrtStream) { return refuse(#name); }

ACLGRAD_UNSUPPORTED(aclnnMatmulAllReduce)
ACLGRAD_UNSUPPORTED(aclnnAllGatherMatmul)
ACLGRAD_UNSUPPORTED(aclnnMatmulReduceScatter)
ACLGRAD_UNSUPPORTED(aclnnFlashAttentionVarLenScore)
ACLGRAD_UNSUPPORTED(aclnnFlashAttentionUnpaddingScoreGrad)
ACLGRAD_UNSUPPORTED(aclnnInplaceQuantScatter)
ACLGRAD_UNSUPPORTED(aclnnInplaceQuantScatterV2)
ACLGRAD_UNSUPPORTED(aclnnInplaceAttentionWorkerScheduler)
ACLGRAD_UNSUPPORTED(aclnnInplaceFfnWorkerScheduler)
ACLGRAD_UNSUPPORTED(aclnnGlobalAveragePool)
ACLGRAD_UNSUPPORTED(aclnnResize)

}  // namespace aclgrad::ops::unsupported
