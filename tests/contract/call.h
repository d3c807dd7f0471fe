// SPDX-License-Identifier: Apache-2.0
// A call by an operator's contract, with memory and handles of its own. Every function of the
// three libraries is found by its name.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aclgrad_contract/contracts.h"

namespace aclgrad::contract {

// Where functions are looked up.
class Library {
 public:
  Library();  // the libraries that this program is linked with
  explicit Library(std::vector<void*> handles) : handles_(std::move(handles)) {}

  // Throws when no library has it.
  void* find(const std::string& name) const;
  // Gives null instead.
  Find finder() const;

  // get<decltype(aclrtMalloc)>("aclrtMalloc")
  template <class Function>
  Function* get(const std::string& name) const {
    return reinterpret_cast<Function*>(find(name));
  }

  // aclGetRecentErrMsg, and "" for no message.
  std::string message() const;

 private:
  std::vector<void*> handles_;
};

using PhaseTwo = aclnnStatus(void*, uint64_t, aclOpExecutor*, aclrtStream);

// Whether its executors may be repeated: not where every run decides how large the result is.
inline bool is_repeatable(const Operator& row) {
  return row.name() != "aclnnMaskedSelect" && !row.name().starts_with("aclnnNonzero") &&
         !row.name().starts_with("aclnnUnique");
}

// Whether a number lies in the device's memory, so that its task plans when it has read it.
inline bool plans_when_it_runs(const Operator& row) {
  if (!row.name().starts_with("aclnnForeach")) return false;
  return std::ranges::any_of(row.call.parameters, [](const Parameter& each) {
    constexpr std::string_view kNumbers[] = {"alpha", "scalar", "scalars", "roundMode",
                                             "inverseScale"};
    return each.tensor() != nullptr && std::ranges::count(kNumbers, each.name) > 0;
  });
}

class Call {
 public:
  // The right call in one dtype. Tensors and scalars that have none of their own get `dtype`.
  Call(const Library& library, const Operator& row, aclDataType dtype);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const Operator& row() const { return row_; }

  // The arguments; a test may put wrong ones in their place.
  std::vector<Value>& values() { return values_; }

  // More objects that live as long as the call. The tensor's storage is that of its contiguous
  // view, if 64 bits can hold it; its memory is there for up to a few thousand elements. Its format
  // is that of its rank, where none is given.
  Value make(const ParameterSpec& spec);
  aclTensor* tensor(const Shape& shape, aclDataType dtype, double fill = 1,
                    std::optional<aclFormat> format = std::nullopt);
  aclTensor* view(const Shape& shape, const Shape& strides, int64_t offset, const Shape& storage,
                  aclDataType dtype);
  // A view that no dimensions of can be joined: columns first, and every other element.
  aclTensor* scattered(const Shape& shape, aclDataType dtype, double fill = 0);
  // Puts such views in the place of all tensors.
  void scatter();
  aclScalar* scalar(double value, aclDataType dtype);
  aclIntArray* int_array(const Shape& values);
  // An aclTensorList or an aclScalarList.
  Value list_of_one(const Value& member);
  aclBoolArray* bool_array(const std::vector<char>& values);

  // The parameter's shape and dtype in the right call.
  const TensorSpec* tensor_spec(size_t parameter) const;
  aclDataType dtype_of(size_t parameter) const;

  // Phase one; the executor stays with the call.
  aclnnStatus plan();
  // With these results, and an executor that is the caller's.
  aclnnStatus plan(uint64_t* workspace_size, aclOpExecutor** executor);
  aclOpExecutor* executor() const { return executor_; }
  uint64_t workspace_size() const { return workspace_size_; }

  // Phase two, and the wait for it. Uses up the executor.
  aclnnStatus run(aclrtStream stream);

  // The first element of the operator's output; the real part of a complex one.
  double output() const;

 private:
  void* allocate(size_t bytes);

  const Library& library_;
  const Operator& row_;
  aclDataType dtype_;
  std::vector<Value> values_;
  std::vector<void*> memory_;
  std::vector<const aclTensor*> tensors_;
  std::vector<const void*> lists_;
  std::vector<const aclScalar*> scalars_;
  std::vector<const aclIntArray*> int_arrays_;
  std::vector<const aclBoolArray*> bool_arrays_;
  void* output_ = nullptr;
  uint64_t workspace_size_ = 0;
  aclOpExecutor* executor_ = nullptr;
};

// Element 0 of memory of a dtype as a number; complex numbers count by their real parts.
double read_number(const void* data, aclDataType dtype);
void write_number(void* data, aclDataType dtype, size_t index, double value);

// "DT_FLOAT", "DT_BF16", ...; every dtype that has a name.
struct NamedDtype {
  aclDataType dtype;
  const char* name;
  bool has_numbers;  // which the tests can read and write
};
const std::vector<NamedDtype>& all_dtypes();

// The dtype of a call that only has to be right: FLOAT, or the first one of integers alone.
aclDataType usual_dtype(const Operator& row);
const char* dtype_name(aclDataType dtype);

// "[2, 3]"
std::string to_string(const Shape& shape);

}  // namespace aclgrad::contract
