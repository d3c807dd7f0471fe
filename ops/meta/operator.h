// SPDX-License-Identifier: Apache-2.0
// How an operator is written: an enum of its parameters, a specification (its name, parameters and
// checks in the documented order) and a function that turns checked arguments into a plan. Both
// phases are carried out here.
//
//   const OperatorSpec kScale{"aclnnScale", {input("self"), attribute("factor"), output("out")},
//                             {not_null({kSelf, kOut}), dtype_in(kSelf, kFloats)}};
//
//   ACLGRAD_OPERATOR(aclnnScale, kScale, [](const Arguments& arguments) { return ...; })
//
// The last line defines the two C functions (entry_points.h).
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "acl/acl_rt.h"
#include "ops/meta/status.h"
#include "ops/meta/tensor.h"

namespace aclgrad::ops {

enum class Role { kInput, kOutput, kInOut, kAttribute };

struct Parameter {
  const char* name;
  Role role;
  bool may_be_transposed = false;  // the vendor's kernel reads it so, instead of making a copy
};

inline Parameter input(const char* name) { return {name, Role::kInput}; }
inline Parameter transposable(const char* name) { return {name, Role::kInput, true}; }
inline Parameter output(const char* name) { return {name, Role::kOutput}; }
inline Parameter in_out(const char* name) { return {name, Role::kInOut}; }
inline Parameter attribute(const char* name) { return {name, Role::kAttribute}; }

class Arguments;

// The outcome of one check.
struct CheckResult {
  aclnnStatus status = OK;
  std::string message;     // empty when the check passed
  std::string cause = {};  // what may have led to it
};

using Rule = std::function<CheckResult(const Arguments&)>;

// A list that is never destroyed: operators are called, by threads and by handlers of atexit, while
// static objects of the libraries are destroyed.
template <class Item>
class StaticList {
 public:
  StaticList(std::initializer_list<Item> items) : StaticList(std::vector<Item>(items)) {}
  StaticList(std::vector<Item> items) : items_(new const std::vector<Item>(std::move(items))) {}

  size_t size() const { return items_->size(); }
  const Item& operator[](size_t i) const { return (*items_)[i]; }
  auto begin() const { return items_->begin(); }
  auto end() const { return items_->end(); }

 private:
  const std::vector<Item>* items_;
};

struct OperatorSpec {
  const char* name;                  // as in the C interface: "aclnnEluBackward"
  StaticList<Parameter> parameters;  // in the order of the C signature
  StaticList<Rule> rules;            // in the documented order, after workspaceSize and executor
};
static_assert(std::is_trivially_destructible_v<OperatorSpec>);

// One argument of a phase-one call.
class Argument {
 public:
  enum class Kind : uint8_t {
    kTensor,
    kTensorList,
    kScalar,
    kScalarList,
    kIntArray,
    kBoolArray,
    kText,
    kInteger,
    kReal
  };

  Argument(const aclTensor* value) : tensor_(value), kind_(Kind::kTensor) {}
  Argument(const aclTensorList* value) : list_(value), kind_(Kind::kTensorList) {}
  Argument(const aclScalar* value) : scalar_(value), kind_(Kind::kScalar) {}
  Argument(const aclScalarList* value) : list_(value), kind_(Kind::kScalarList) {}
  Argument(const aclIntArray* value) : int_array_(value), kind_(Kind::kIntArray) {}
  Argument(const aclBoolArray* value) : bool_array_(value), kind_(Kind::kBoolArray) {}
  Argument(const char* value) : text_(value), kind_(Kind::kText) {}
  Argument(bool value) : integer_(value ? 1 : 0) {}
  Argument(int8_t value) : integer_(value) {}
  Argument(int32_t value) : integer_(value) {}
  Argument(int64_t value) : integer_(value) {}
  Argument(uint64_t value) : integer_(static_cast<int64_t>(value)) {}
  Argument(aclDataType value) : integer_(value) {}
  Argument(float value) : real_(static_cast<double>(value)), kind_(Kind::kReal) {}
  Argument(double value) : real_(value), kind_(Kind::kReal) {}

  Kind kind() const { return kind_; }

  const aclTensor* tensor() const { return tensor_; }
  const aclTensorList* tensor_list() const {
    return kind_ == Kind::kTensorList ? static_cast<const aclTensorList*>(list_) : nullptr;
  }
  const aclScalar* scalar() const { return scalar_; }
  const aclScalarList* scalar_list() const {
    return kind_ == Kind::kScalarList ? static_cast<const aclScalarList*>(list_) : nullptr;
  }
  const aclIntArray* int_array() const { return int_array_; }
  const aclBoolArray* bool_array() const { return bool_array_; }
  const char* text() const { return text_; }
  int64_t integer() const { return integer_; }
  double real() const { return real_; }

 private:
  // Exactly one of these is meant.
  const aclTensor* tensor_ = nullptr;
  const void* list_ = nullptr;
  const aclScalar* scalar_ = nullptr;
  const aclIntArray* int_array_ = nullptr;
  const aclBoolArray* bool_array_ = nullptr;
  const char* text_ = nullptr;
  int64_t integer_ = 0;
  double real_ = 0;
  Kind kind_ = Kind::kInteger;  // for the call log; the operators know from their signatures
};

// The arguments of a phase-one call, by parameter index. The tensors or scalars of a list follow
// behind all parameters, each an argument of its own with the list's role and a name like
// "tensors[1]".
class Arguments {
 public:
  Arguments(const OperatorSpec& spec, std::span<const Argument> values);

  // The arguments that are a list's members; none where it is null or no live handle.
  struct Members {
    size_t first;
    size_t count;
  };
  Members members(size_t list) const;

  const OperatorSpec& spec() const { return spec_; }
  size_t size() const { return values_.size() + members_.size(); }
  // The parameter that an argument is, or is a member of.
  size_t parameter(size_t i) const {
    return i < values_.size() ? i : members_[i - values_.size()].list;
  }
  const char* name(size_t i) const {
    return i < values_.size() ? spec_.parameters[i].name
                              : members_[i - values_.size()].name.c_str();
  }
  Role role(size_t i) const { return spec_.parameters[parameter(i)].role; }
  bool may_be_transposed(size_t i) const {
    return spec_.parameters[parameter(i)].may_be_transposed;
  }

  const Argument& operator[](size_t i) const {
    return i < values_.size() ? values_[i] : members_[i - values_.size()].value;
  }
  const aclTensor& tensor(size_t i) const { return *(*this)[i].tensor(); }
  const aclScalar& scalar(size_t i) const { return *(*this)[i].scalar(); }
  const std::vector<int64_t>& int_array(size_t i) const { return values_[i].int_array()->values; }
  const std::vector<char>& bool_array(size_t i) const { return values_[i].bool_array()->values; }
  int64_t integer(size_t i) const { return values_[i].integer(); }
  double real(size_t i) const { return values_[i].real(); }
  bool flag(size_t i) const { return values_[i].integer() != 0; }
  const char* text(size_t i) const { return values_[i].text(); }

  const Dims& shape(size_t i) const { return tensor(i).view_shape; }
  // For a tensor, list, scalar, array or text that may be null.
  bool given(size_t i) const {
    const Argument& value = (*this)[i];
    return value.tensor() != nullptr || value.tensor_list() != nullptr ||
           value.scalar() != nullptr || value.scalar_list() != nullptr ||
           value.int_array() != nullptr || value.bool_array() != nullptr || value.text() != nullptr;
  }
  const Dims& strides(size_t i) const { return tensor(i).view_strides; }
  aclDataType dtype(size_t i) const { return tensor(i).dtype; }
  bool empty(size_t i) const { return is_empty(tensor(i)); }

 private:
  struct Member {
    size_t list;
    std::string name;
    Argument value;
  };

  const OperatorSpec& spec_;
  std::span<const Argument> values_;
  std::vector<Member> members_;
};

// One run of an executor: where its tensors lie this time.
class Run {
 public:
  Run(std::span<void* const> addresses, void* workspace)
      : addresses_(addresses), workspace_(workspace) {}

  // Address of the first element of tensor argument i, its offset applied.
  void* data(size_t i) const { return addresses_[i]; }
  template <class T>
  T* data(size_t i) const {
    return static_cast<T*>(addresses_[i]);
  }
  // The caller's workspace, at least as large as the plan asked for.
  void* workspace() const { return workspace_; }

 private:
  std::span<void* const> addresses_;
  void* workspace_;
};

// The work of phase two. Shapes, strides and dtypes are fixed when the plan is made; a run brings
// the addresses. The returned status is reported at the next synchronisation of the stream.
using Body = std::function<aclError(const Run&)>;

// Work that can be partitioned: its units are independent, so that the units of several operators
// can be fused while what passes between them is in the caches. Every tiling gives the same bits.
class Tiling {
 public:
  // What unit u touches of a tensor: `length` bytes from offset + u * step on.
  struct Footprint {
    size_t parameter;
    int64_t offset;  // in bytes, on top of the parameter's own
    int64_t step;    // 0: every unit reads the same bytes
    int64_t length;
    bool is_written;
  };

  // Units that form row groups: every row of a part is a part of a group, or all of it.
  struct RowGroups {
    int64_t units = 1;    // of a group
    int64_t minimum = 1;  // groups of a part
  };

  // Units [begin, end), and for i < rows those i * stride further.
  struct Part {
    int64_t begin;
    int64_t end;
    int64_t rows;
    int64_t stride;
    bool keep_cached;  // the results are wanted in the caches

    // This part as one row, where its rows join.
    Part joined() const {
      if (end - begin != stride) return *this;
      return {begin, begin + rows * stride, 1, rows * stride, keep_cached};
    }
  };

  virtual ~Tiling() = default;
  virtual int64_t units() const = 0;
  virtual RowGroups row_groups() const { return {}; }
  virtual size_t operand_count() const = 0;
  virtual Footprint footprint(size_t index) const = 0;

  // On the calling thread.
  virtual void run_part(const Run& run, const Part& part) const = 0;
};

struct Plan {
  Body body;  // empty: nothing to do
  uint64_t workspace_size = 0;
  std::shared_ptr<const Tiling> tiling = nullptr;  // the work of `body`, where it can be tiled
  std::vector<Tiling::Footprint> touched = {};     // every tensor as a whole; phase one fills it in
  bool is_repeatable =
      true;  // not where a run gives the result its size: the next one's may differ
};

using Planner = std::function<Plan(const Arguments&)>;

// An operator as others carry it out for parts of theirs, without its checks; ACLGRAD_OPERATOR
// defines one for each.
struct OperatorEntry {
  const OperatorSpec* spec;
  Plan (*plan)(const Arguments&);
};

// Phase one: checks workspaceSize and executor, then the rules in their order, then that every view
// lies in its storage; then plans. On failure leaves a message and both outputs untouched. A
// planner may throw PlanError for what only planning can find.
aclnnStatus plan_operator(const OperatorSpec& spec, std::initializer_list<Argument> arguments,
                          uint64_t* workspaceSize, aclOpExecutor** executor,
                          const Planner& planner);

// Phase two of the operator called `name`: queues the plan's work on the stream and consumes a
// single-use executor. An executor of another operator is refused and stays.
aclnnStatus run_operator(const char* name, void* workspace, uint64_t workspaceSize,
                         aclOpExecutor* executor, aclrtStream stream);

// Thrown by a planner to end phase one with a status and a message.
struct PlanError {
  aclnnStatus status;
  std::string message;
};

// Leaves a message for aclGetRecentErrMsg in the documented style; its title follows from the
// status. The cause may be empty.
void report(const char* function, aclnnStatus status, const std::string& message,
            const std::string& cause = {});

}  // namespace aclgrad::ops
