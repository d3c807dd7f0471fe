// SPDX-License-Identifier: Apache-2.0
// The order of checks as a table: a call that is right, and what breaks each check in turn. Every
// single violation must give its status and message, and of any two the earlier one must speak.
#ifndef ACLGRAD_TESTS_OPS_OPERATORS_ACTIVATIONS_CHECKS_H_
#define ACLGRAD_TESTS_OPS_OPERATORS_ACTIVATIONS_CHECKS_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::testing {

// The arguments of a phase-one call by name, changed by violations before anything is created.
struct CallArguments {
  struct TensorSpec {
    aclDataType dtype = ACL_FLOAT;
    Shape shape;
    aclFormat format = ACL_FORMAT_ND;
    bool null = false;
  };
  struct ScalarSpec {
    float value = 1;
    bool complex = false;
    bool null = false;
  };

  std::map<std::string, TensorSpec> tensors;
  std::map<std::string, ScalarSpec> scalars;
  std::map<std::string, int64_t> integers;
  std::string text;
  bool text_null = false;
  bool workspace_size_null = false;
  bool executor_null = false;
  std::string soc;

  void set_shape(const std::string& name, Shape shape) { tensors[name].shape = std::move(shape); }
  void set_dtype(const std::string& name, aclDataType dtype) { tensors[name].dtype = dtype; }
};

// The objects of one call; they live until the call is over.
class CallObjects {
 public:
  explicit CallObjects(const CallArguments& arguments) : arguments_(arguments) {
    for (const auto& [name, spec] : arguments.tensors) {
      Array::Layout layout;
      layout.format = spec.format;
      if (!spec.null) tensors_.emplace(name, Array(spec.dtype, spec.shape, layout));
    }
    for (const auto& [name, spec] : arguments.scalars) {
      if (spec.null) continue;
      scalars_.emplace(name, spec.complex ? Scalar(spec.value, 1.0f) : Scalar(spec.value));
    }
    text_ = arguments.text;
  }

  aclTensor* tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? nullptr : found->second.tensor();
  }
  aclScalar* scalar(const std::string& name) const {
    const auto found = scalars_.find(name);
    return found == scalars_.end() ? nullptr : found->second.get();
  }
  int64_t integer(const std::string& name) const { return arguments_.integers.at(name); }
  char* text() { return arguments_.text_null ? nullptr : text_.data(); }

 private:
  const CallArguments& arguments_;
  std::map<std::string, Array> tensors_;
  std::map<std::string, Scalar> scalars_;
  std::string text_;
};

struct Violation {
  std::string what;
  std::function<void(CallArguments&)> apply;
  aclnnStatus status;
  std::vector<std::string> pieces;  // of the message, besides the operator's name
};

struct CheckTable {
  std::string name;  // of the operator
  CallArguments valid;
  std::function<aclnnStatus(CallObjects&, uint64_t*, aclOpExecutor**)> phase_one;
  std::vector<Violation> violations;  // in the documented order, after workspaceSize and executor
};

// ---- Violations that many tables have -----------------------------------------------------------

inline Violation null_tensor(const std::string& name) {
  return {"null " + name,
          [=](CallArguments& call) { call.tensors[name].null = true; },
          161001,
          {name, "null"}};
}
inline Violation null_scalar(const std::string& name) {
  return {"null " + name,
          [=](CallArguments& call) { call.scalars[name].null = true; },
          161001,
          {name, "null"}};
}
inline Violation unlisted_dtype(const std::string& name) {
  return {"dtype of " + name,
          [=](CallArguments& call) { call.set_dtype(name, ACL_INT64); },
          161002,
          {name, "DT_INT64"}};
}
inline Violation other_dtype(const std::string& name, const std::string& reference) {
  return {"dtypes of " + name + " and " + reference,
          [=](CallArguments& call) { call.set_dtype(name, ACL_FLOAT16); },
          161002,
          {name, reference, "same dtype", "DT_FLOAT16"}};
}
inline Violation complex_scalar(const std::string& name) {
  return {"complex " + name,
          [=](CallArguments& call) { call.scalars[name].complex = true; },
          161002,
          {name, "DT_COMPLEX64", "cannot be cast"}};
}
inline Violation other_shape(const std::string& name, Shape shape) {
  return {"shape of " + name,
          [=](CallArguments& call) { call.set_shape(name, shape); },
          161002,
          {name}};
}
// The size must differ from reference's in the message.
inline Violation unlike_shape(const std::string& name, const std::string& reference, Shape shape) {
  Violation violation = other_shape(name, std::move(shape));
  violation.pieces = {name, reference, "same size"};
  return violation;
}
inline Violation too_many_dimensions(const std::vector<std::string>& names, const Shape& tail) {
  Shape shape(9 - tail.size(), 1);
  shape.insert(shape.end(), tail.begin(), tail.end());
  return {"rank of " + names[0],
          [=](CallArguments& call) {
            for (const std::string& name : names) call.set_shape(name, shape);
          },
          161002,
          {names[0], "more than 8"}};
}

// ---- The test itself ----------------------------------------------------------------------------

class Checks : public AclTest {
 protected:
  void check(const CheckTable& table) {
    ASSERT_EQ(outcome(table, table.valid).status, 0) << outcome(table, table.valid).message;
    std::vector<Violation> order{{"null workspaceSize",
                                  [](CallArguments& call) { call.workspace_size_null = true; },
                                  161001,
                                  {"workspaceSize"}},
                                 {"null executor",
                                  [](CallArguments& call) { call.executor_null = true; },
                                  161001,
                                  {"executor"}}};
    order.insert(order.end(), table.violations.begin(), table.violations.end());
    for (Violation& violation : order) violation.pieces.push_back(table.name + ":");
    for (size_t i = 0; i < order.size(); ++i) {
      CallArguments broken = table.valid;
      order[i].apply(broken);
      EXPECT_TRUE(fails_with(order[i].status, order[i].pieces, outcome(table, broken)))
          << table.name << ", " << order[i].what;
      for (size_t later = i + 1; later < order.size(); ++later) {
        CallArguments twice = table.valid;
        order[later].apply(twice);
        order[i].apply(twice);
        EXPECT_TRUE(fails_with(order[i].status, order[i].pieces, outcome(table, twice)))
            << table.name << ", " << order[i].what << " before " << order[later].what;
      }
    }
  }

 private:
  // Phase one, with the outputs watched: a failure must leave them as they were.
  static Outcome outcome(const CheckTable& table, const CallArguments& call) {
    EXPECT_EQ(aclgradSetSocName(call.soc.empty() ? nullptr : call.soc.c_str()), 0);
    CallObjects objects(call);
    recent_message();
    uint64_t workspace_size = 0x5eed;
    auto* const untouched = reinterpret_cast<aclOpExecutor*>(&workspace_size);
    aclOpExecutor* executor = untouched;
    const aclnnStatus status =
        table.phase_one(objects, call.workspace_size_null ? nullptr : &workspace_size,
                        call.executor_null ? nullptr : &executor);
    Outcome result{status, recent_message()};
    if (status == 0) {
      EXPECT_EQ(aclDestroyAclOpExecutor(executor), 0);
      EXPECT_EQ(result.message, "");
    } else {
      EXPECT_EQ(workspace_size, 0x5eedu);
      EXPECT_EQ(executor, untouched);
    }
    return result;
  }
};

}  // namespace aclgrad::testing

#endif  // ACLGRAD_TESTS_OPS_OPERATORS_ACTIVATIONS_CHECKS_H_
