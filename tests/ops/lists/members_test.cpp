// SPDX-License-Identifier: Apache-2.0
// Every function over lists gives each member the bits of the operator of single tensors, whatever
// the lengths, sizes and layouts, in place by the same list and by another list on the same memory.
#include <dlfcn.h>

#include <deque>
#include <latch>
#include <map>

#include "aclgrad_contract/contracts.h"
#include "aclgrad_contract/numbers.h"
#include "aclnnop/aclnn_foreach_abs.h"
#include "tests/ops/support/fixture.h"

namespace aclgrad::testing {
namespace {

using contract::find_contract;
using contract::Operator;
using contract::Value;

// The operators of single tensors, by what the names of functions over lists begin with.
std::string single_of(const std::string& function) {
  static const std::vector<std::pair<std::string, std::string>> kSingles = {
      {"AddList", "aclnnAdd"},
      {"SubList", "aclnnSub"},
      {"AddScalar", "aclnnAdds"},
      {"SubScalar", "aclnnSubs"},
      {"MulList", "aclnnMul"},
      {"DivList", "aclnnDiv"},
      {"PowList", "aclnnPowTensorTensor"},
      {"MaximumList", "aclnnMaximum"},
      {"MinimumList", "aclnnMinimum"},
      {"MulScalar", "aclnnMuls"},
      {"DivScalar", "aclnnDivs"},
      {"PowScalarAndTensor", "aclnnPowScalarTensor"},
      {"PowScalar", "aclnnPowTensorScalar"},
      {"MaximumScalar", "aclnnClampMin"},
      {"MinimumScalar", "aclnnClampMax"},
      {"LerpScalar", "aclnnLerps"},
      {"LerpList", "aclnnLerp"},
      {"AddcmulScalar", "aclnnAddcmul"},
      {"AddcdivScalar", "aclnnAddcdiv"},
      {"Copy", ""},
      {"Norm", ""},
      {"RoundOffNumber", ""},
      {"ZeroInplace", ""},
      {"NonFiniteCheckAndUnscale", ""},
  };
  const std::string name = function.substr(std::string("aclnnForeach").size());
  for (const auto& [start, single] : kSingles) {
    if (name.starts_with(start)) return single;
  }
  return "aclnn" + name;
}

std::vector<const Operator*> functions_over_lists() {
  std::vector<const Operator*> all;
  for (const Operator& op : contract::all_contracts()) {
    if (op.name().starts_with("aclnnForeach") && !single_of(op.name()).empty()) all.push_back(&op);
  }
  return all;
}

void* find(const std::string& name) { return dlsym(RTLD_DEFAULT, name.c_str()); }

class Members : public AclTest, public ::testing::WithParamInterface<const Operator*> {
 protected:
  const Operator& op() const { return *GetParam(); }
  const Operator& single() const { return find_contract(single_of(op().name())); }

  void run(const Operator& called, std::span<const Value> values) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(
        called.call.invoke(find(called.name() + "GetWorkspaceSize"), values, &size, &executor), 0)
        << recent_message();
    const Buffer workspace(size);
    const auto phase_two = reinterpret_cast<decltype(aclnnForeachAbs)*>(find(called.name()));
    ASSERT_EQ(phase_two(workspace.data(), size, executor, stream()), 0) << recent_message();
    ASSERT_EQ(aclrtSynchronizeStream(stream()), 0) << recent_message();
  }
};

Shape shape_of(size_t member) {
  static const std::vector<Shape> kShapes = {{3}, {2, 5}, {}, {0, 4}, {3, 2, 4}, {1, 67}};
  return kShapes[member % kShapes.size()];
}
LayoutKind layout_of(size_t member) {
  static const LayoutKind kLayouts[] = {LayoutKind::kContiguous, LayoutKind::kTransposed,
                                        LayoutKind::kGaps, LayoutKind::kReversed};
  return kLayouts[member % std::size(kLayouts)];
}

constexpr double kNumbers[] = {3, -2, 1, 2};

// The arguments of a call in one dtype, and of the single operator's call for each member.
struct Call {
  const Operator& op;
  aclDataType dtype;
  size_t length;
  std::deque<Array> arrays;
  std::map<const Array*, LayoutKind> layouts;
  std::vector<std::vector<Array*>> lists;  // of inputs, by their order
  std::vector<Array*> out;
  std::deque<Scalar> scalars;
  aclScalarList* scalar_list = nullptr;
  const Array* on_device = nullptr;
  bool has_own_numbers = false;

  Call(const Operator& called, aclDataType of, size_t count)
      : op(called), dtype(of), length(count) {
    size_t seed = 1;
    for (const size_t i : declared_parameters(op)) {
      const contract::Parameter& parameter = op.call.parameters[i];
      const contract::TensorSpec* spec = parameter.tensor();
      if (spec != nullptr && !parameter.list.empty()) {
        std::vector<Array*> members;
        for (size_t k = 0; k < length; ++k) {
          const LayoutKind layout = layout_of(k + seed);
          arrays.push_back(
              random_array(dtype, shape_of(k), layout, seed * 100 + k, spec->low, spec->high));
          members.push_back(&arrays.back());
          layouts[members.back()] = layout;
        }
        if (spec->role == contract::Role::kInput) {
          lists.push_back(members);
        } else {
          out = members;
        }
        ++seed;
      } else if (spec != nullptr) {
        has_own_numbers = parameter.name == "scalars";
        // An offset, and not dense.
        Array::Layout layout;
        layout.offset = 3;
        layout.strides = {2};
        arrays.emplace_back(dtype, Shape{has_own_numbers ? static_cast<int64_t>(length) : 1},
                            layout, Values(std::begin(kNumbers), std::end(kNumbers)));
        on_device = &arrays.back();
      } else {
        has_own_numbers = !parameter.list.empty();
        std::vector<const aclScalar*> handles;
        for (size_t k = 0; k < std::max<size_t>(length, 1); ++k) {
          const double value = kNumbers[k % std::size(kNumbers)];
          if (contract::is_whole(dtype)) {
            scalars.emplace_back(static_cast<int64_t>(value));
          } else {
            scalars.emplace_back(value);
          }
          handles.push_back(scalars.back().get());
        }
        if (has_own_numbers) scalar_list = aclCreateScalarList(handles.data(), length);
      }
    }
  }
  ~Call() {
    if (scalar_list != nullptr) aclgradReleaseTensorList(scalar_list);
  }

  static aclTensorList* list_of(const std::vector<Array*>& members) {
    std::vector<const aclTensor*> handles;
    for (Array* each : members) handles.push_back(each->tensor());
    return aclCreateTensorList(handles.data(), handles.size());
  }

  // The same tensors as other objects, which are the list's.
  aclTensorList* copy_of(const std::vector<Array*>& members) const {
    std::vector<const aclTensor*> handles;
    for (Array* each : members) {
      const Array::Layout layout = make_layout(each->shape(), layouts.at(each));
      const auto storage = static_cast<int64_t>(each->memory().bytes() / aclDataTypeSize(dtype));
      handles.push_back(aclCreateTensor(each->shape().data(), each->shape().size(), dtype,
                                        layout.strides.data(), layout.offset, ACL_FORMAT_ND,
                                        &storage, 1, each->data()));
    }
    return aclCreateTensorList(handles.data(), handles.size());
  }

  // With a result in the place of `out`: its list, and the inputs' lists, which are the caller's.
  std::vector<Value> values(aclTensorList* result, std::vector<aclTensorList*>& made,
                            aclTensorList* first = nullptr) const {
    std::vector<Value> all;
    size_t list = 0;
    for (const size_t i : declared_parameters(op)) {
      const contract::Parameter& parameter = op.call.parameters[i];
      const contract::TensorSpec* spec = parameter.tensor();
      if (spec == nullptr) {
        if (has_own_numbers) {
          all.push_back(scalar_list);
        } else {
          all.push_back(const_cast<aclScalar*>(scalars.front().get()));
        }
      } else if (parameter.list.empty()) {
        all.push_back(on_device->tensor());
      } else if (spec->role != contract::Role::kInput) {
        all.push_back(result);
      } else if (list == 0 && first != nullptr) {
        all.push_back(first);
        ++list;
      } else {
        made.push_back(list_of(lists[list++]));
        all.push_back(made.back());
      }
    }
    return all;
  }

  // The single operator's call for a member, whose scalar has the value that the list's has.
  std::vector<Value> of_member(size_t k, const Array& result, std::deque<Scalar>& made) const {
    std::vector<Value> all;
    for (const size_t i : declared_parameters(op)) {
      const contract::Parameter& parameter = op.call.parameters[i];
      const contract::TensorSpec* spec = parameter.tensor();
      if (spec != nullptr && !parameter.list.empty()) continue;
      const size_t which = has_own_numbers ? k : 0;
      if (on_device != nullptr) {
        const auto value = static_cast<double>(on_device->get(static_cast<int64_t>(which)));
        if (contract::is_whole(dtype)) {
          made.emplace_back(static_cast<int64_t>(value));
        } else {
          made.emplace_back(value);
        }
        all.push_back(const_cast<aclScalar*>(made.back().get()));
      } else {
        all.push_back(const_cast<aclScalar*>(scalars[which].get()));
      }
    }
    const bool has_number = !all.empty();
    const bool begins_with_number = has_number && op.call.parameters.front().tensor() == nullptr;
    std::vector<Value> tensors;
    for (const auto& list : lists) tensors.push_back(list[k]->tensor());
    all.insert(begins_with_number ? all.end() : all.begin(), tensors.begin(), tensors.end());
    const std::string single = single_of(op.name());
    if (single == "aclnnAdds" || single == "aclnnSubs") {
      made.emplace_back(int64_t{1});
      all.push_back(const_cast<aclScalar*>(made.back().get()));
    }
    all.push_back(result.tensor());
    return all;
  }
};

TEST_P(Members, HaveTheBitsOfTheSingleOperator) {
  const contract::DTypes known = table_dtypes_of(single());
  for (const aclDataType dtype : table_dtypes_of(op())) {
    if (std::ranges::count(known, dtype) == 0) continue;  // in lists only; the contract has values
    for (const size_t length : {1, 2, 51, 310}) {
      if (length == 310 && dtype != ACL_FLOAT) continue;
      SCOPED_TRACE(std::to_string(length) + " tensors of dtype " + std::to_string(dtype));
      Call call(op(), dtype, length);
      std::vector<Values> wanted;
      for (size_t k = 0; k < length; ++k) {
        const Array result(dtype, shape_of(k));
        std::deque<Scalar> scalars;
        run(single(), call.of_member(k, result, scalars));
        wanted.push_back(result.values());
      }
      const auto expect_results = [&](const std::vector<Array*>& results) {
        for (size_t k = 0; k < length; ++k) expect_same(*results[k], wanted[k]);
      };
      std::vector<aclTensorList*> lists = {Call::list_of(call.out)};
      run(op(), call.values(lists.front(), lists));
      expect_results(call.out);
      if (HasFailure()) return;

      // Into other objects on the memory of the first list, then into the list itself.
      std::vector<Array*>& x = call.lists[0];
      std::vector<Values> before;
      for (Array* each : x) before.push_back(each->values());
      aclTensorList* const objects = call.copy_of(x);
      run(op(), call.values(objects, lists));
      EXPECT_EQ(aclDestroyTensorList(objects), 0);
      expect_results(x);
      for (size_t k = 0; k < length; ++k) {
        if (!before[k].empty()) x[k]->fill(before[k]);
      }
      aclTensorList* const same = Call::list_of(x);
      lists.push_back(same);
      run(op(), call.values(same, lists, same));
      expect_results(x);
      for (aclTensorList* each : lists) EXPECT_EQ(aclgradReleaseTensorList(each), 0);
      if (HasFailure()) return;
    }
  }
}

// The objects of the call may be gone before its task has begun.
TEST_P(Members, NeedNoObjectOfTheCallWhenTheTaskRuns) {
  Call call(op(), ACL_FLOAT, 2);
  std::vector<aclTensorList*> lists = {Call::list_of(call.out)};
  run(op(), call.values(lists.front(), lists));
  std::vector<Values> wanted;
  for (Array* each : call.out) wanted.push_back(each->values());
  for (Array* each : call.out) each->fill({-77});

  std::vector<aclTensorList*> own;
  for (const auto& list : call.lists) own.push_back(call.copy_of(list));
  own.push_back(call.copy_of(call.out));
  std::vector<Value> values = call.values(own.back(), lists);
  size_t next = 0;
  for (Value& value : values) {
    if (std::holds_alternative<aclTensorList*>(value)) value = own[next++];
  }
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  ASSERT_EQ(op().call.invoke(find(op().name() + "GetWorkspaceSize"), values, &size, &executor), 0)
      << recent_message();
  const Buffer workspace(size);
  std::latch gone(1);
  const auto wait = [](void* latch) -> aclError {
    static_cast<std::latch*>(latch)->wait();
    return ACL_SUCCESS;
  };
  ASSERT_EQ(aclgradLaunchTask(stream(), "wait", wait, &gone, nullptr), 0);
  const auto phase_two = reinterpret_cast<decltype(aclnnForeachAbs)*>(find(op().name()));
  ASSERT_EQ(phase_two(workspace.data(), size, executor, stream()), 0) << recent_message();
  for (aclTensorList* each : own) EXPECT_EQ(aclDestroyTensorList(each), 0);
  gone.count_down();
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0) << recent_message();
  for (size_t k = 0; k < call.out.size(); ++k) expect_same(*call.out[k], wanted[k]);
  for (aclTensorList* each : lists) EXPECT_EQ(aclgradReleaseTensorList(each), 0);
}

TEST_P(Members, OfNoListAreASuccess) {
  Call call(op(), ACL_FLOAT, 0);
  std::vector<aclTensorList*> lists = {Call::list_of({})};
  if (call.on_device != nullptr && call.has_own_numbers) return;  // a tensor without elements
  run(op(), call.values(lists.front(), lists));
  for (aclTensorList* each : lists) EXPECT_EQ(aclgradReleaseTensorList(each), 0);
}

INSTANTIATE_TEST_SUITE_P(Foreach, Members, ::testing::ValuesIn(functions_over_lists()),
                         [](const auto& each) { return each.param->name(); });

}  // namespace
}  // namespace aclgrad::testing
