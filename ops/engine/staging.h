// SPDX-License-Identifier: Apache-2.0
// Tensors as dense arrays of a compute type. A tensor that is one already is used as it is; any
// other is converted into the workspace before, or out of it after, the work of a kernel.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ops/engine/dtype/formats.h"
#include "ops/engine/elementwise.h"
#include "ops/engine/iterate.h"

namespace aclgrad::ops {

class Staging {
 public:
  // The compute type is FLOAT or DOUBLE, or BF16 where all tensors are.
  explicit Staging(aclDataType compute) : compute_(compute) {}

  // Add an array; the number returned stands for it. Inputs may be rounded to FLOAT16 on the way.
  // Elements may be a tensor's in another order than its own.
  size_t input(const Arguments& arguments, size_t parameter, bool round_to_float16 = false) {
    return input(Elements(arguments, parameter), round_to_float16);
  }
  size_t input(Elements tensor, bool round_to_float16 = false);
  size_t output(const Arguments& arguments, size_t parameter) {
    return output(Elements(arguments, parameter));
  }
  size_t output(Elements tensor);
  // Memory that holds nothing yet.
  size_t scratch(int64_t elements, aclDataType dtype);

  uint64_t workspace_size() const { return workspace_size_; }

  // In a run: the address of an array, null for no array; conversions before and after the work.
  template <class T>
  T* data(const Run& run, std::optional<size_t> array) const {
    return array ? static_cast<T*>(address(run, arrays_[*array])) : nullptr;
  }
  void load(const Run& run) const;
  void store(const Run& run) const;

 private:
  struct Array {
    Elements tensor = {};
    bool is_output = false;
    bool is_direct = false;  // the tensor itself
    bool is_scratch = false;
    bool rounds_to_float16 = false;
    uint64_t offset = 0;  // in the workspace
  };
  size_t add(Array array, uint64_t bytes);
  void* address(const Run& run, const Array& array) const;

  aclDataType compute_;
  std::vector<Array> arrays_;
  uint64_t workspace_size_ = 0;
};

// visit(TypeTag<T>{}) for the elements of the arrays.
template <class Visit>
auto visit_compute_type(aclDataType compute, const Visit& visit) {
  if (compute == ACL_DOUBLE) return visit(TypeTag<double>{});
  if (compute == ACL_BF16) return visit(TypeTag<Bfloat16>{});
  return visit(TypeTag<float>{});
}

// The plan of work between staged arrays: work.staging loads and stores them, work.run<T>(run)
// computes in the compute type.
template <class Work>
Plan staged_plan(Work work, aclDataType compute) {
  const uint64_t workspace = work.staging.workspace_size();
  return {[compute,
           shared = std::make_shared<const Work>(std::move(work))](const Run& run) -> aclError {
            shared->staging.load(run);
            visit_compute_type(compute, [&]<class T>(TypeTag<T>) { shared->template run<T>(run); });
            shared->staging.store(run);
            return ACL_SUCCESS;
          },
          workspace};
}

}  // namespace aclgrad::ops
