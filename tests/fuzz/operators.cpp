// SPDX-License-Identifier: Apache-2.0
// Both phases of every operator, with arguments that start from a right call and go wrong anywhere.
// Memory of tensors and workspaces comes from the heap in exactly the size that is due, so that the
// address sanitizer sees every byte beyond it.
#include <cstdlib>
#include <memory>
#include <set>

#include "aclgrad_ext.h"
#include "tests/contract/call.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/target.h"

namespace aclgrad::fuzz {
namespace {

using contract::Operator;
using contract::Shape;
using contract::Value;

// More than this is not run: kernels would only take long.
constexpr int64_t kMaxElements = 4096;
constexpr uint64_t kMaxWorkspace = uint64_t{1} << 24;

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, FreeMemory>;

// Number of elements; nothing when it is more than kMaxElements or nonsense.
int64_t count_of(const Shape& shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count)) return -1;
  }
  return count <= kMaxElements ? count : -1;
}

// The objects of one call; all of them go away with it.
class Arguments {
 public:
  Arguments(Input& input, const Operator& row) : input_(input) {
    const auto dtypes = input.once_in(4) ? row.domain.from_a2_on : row.domain.everywhere;
    dtype_ = dtypes.empty() ? ACL_FLOAT : input.pick(dtypes);
    grow_ = row.domain.grows ? 1 + static_cast<int64_t>(input.below(8)) : 1;
    for (const contract::Parameter& parameter : row.call.parameters) {
      values.push_back(std::visit([&](const auto& each) { return make(each); }, parameter.spec));
    }
  }
  ~Arguments() {
    for (const aclTensor* each : tensors_) aclDestroyTensor(each);
    for (const aclScalar* each : scalars_) aclDestroyScalar(each);
    for (const aclIntArray* each : arrays_) aclDestroyIntArray(each);
    for (const aclBoolArray* each : bools_) aclDestroyBoolArray(each);
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  std::vector<Value> values;
  bool can_run() const { return can_run_; }

 private:
  aclDataType any_dtype() {
    return input_.once_in(3) ? static_cast<aclDataType>(input_.number<int8_t>())
                             : input_.pick(contract::all_dtypes()).dtype;
  }

  Value make(const contract::TensorSpec& spec) {
    if (spec.optional ? !input_.once_in(2) : input_.once_in(64)) {
      return static_cast<aclTensor*>(nullptr);
    }
    const aclDataType dtype = input_.once_in(24) ? any_dtype() : spec.dtype.value_or(dtype_);
    Shape shape = spec.shape;
    for (int64_t& size : shape) size *= size == 1 ? 1 : grow_;
    if (input_.once_in(8)) mutate(shape);
    return tensor(shape, dtype);
  }
  Value make(const contract::ScalarSpec& spec) {
    if (input_.once_in(64)) return static_cast<aclScalar*>(nullptr);
    alignas(16) unsigned char bytes[16] = {};
    const aclDataType dtype = input_.once_in(8) ? any_dtype() : spec.dtype_beside(dtype_);
    for (unsigned char& each : bytes) each = input_.byte();
    aclScalar* made = aclCreateScalar(bytes, dtype);
    scalars_.push_back(made);
    return made;
  }
  Value make(const Shape& spec) {
    if (input_.once_in(64)) return static_cast<aclIntArray*>(nullptr);
    Shape numbers = spec;
    if (input_.once_in(4)) mutate(numbers);
    aclIntArray* made = aclCreateIntArray(numbers.data(), numbers.size());
    arrays_.push_back(made);
    return made;
  }
  Value make(const contract::SizesSpec& spec) {
    Shape sizes = spec.sizes;
    for (int64_t& size : sizes) size *= size == 1 ? 1 : grow_;
    return make(sizes);
  }
  Value make(const contract::ValuesSpec& spec) {
    if (!spec.given) return static_cast<aclIntArray*>(nullptr);
    return make(spec.values);
  }
  Value make(const contract::BoolsSpec& spec) {
    if (input_.once_in(64)) return static_cast<aclBoolArray*>(nullptr);
    bool flags[8] = {};
    const size_t size = input_.once_in(16) ? input_.below(8) : spec.values.size();
    for (bool& flag : flags) flag = input_.once_in(2);
    aclBoolArray* made = aclCreateBoolArray(flags, size);
    bools_.push_back(made);
    return made;
  }
  Value make(bool flag) { return make(static_cast<int64_t>(flag)); }
  Value make(const contract::WordSpec& spec) {
    constexpr const char* kTexts[] = {"none", "tanh", "erf", "", "nonsense"};
    if (input_.once_in(16)) return static_cast<char*>(nullptr);
    return const_cast<char*>(input_.once_in(4) ? input_.pick(kTexts) : spec.words.at(spec.chosen));
  }
  Value make(int64_t number) { return input_.once_in(8) ? input_.extent() : number; }
  Value make(double number) { return input_.once_in(4) ? input_.number<double>() : number; }
  Value make(contract::DtypeSpec spec) {
    return static_cast<int64_t>(input_.once_in(16) ? any_dtype() : spec.dtype.value_or(dtype_));
  }

  void mutate(Shape& shape) {
    switch (input_.below(4)) {
      case 0:
        if (!shape.empty()) shape[input_.below(shape.size())] = input_.extent();
        break;
      case 1:
        shape.insert(shape.begin(), input_.extent());
        break;
      case 2:
        if (!shape.empty()) shape.pop_back();
        break;
      default:
        shape.assign(input_.below(9), input_.extent());
    }
    if (shape.size() > 8) shape.resize(8);
  }

  aclTensor* tensor(const Shape& shape, aclDataType dtype) {
    Shape strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;) {
      if (__builtin_mul_overflow(strides[i], shape[i], &strides[i - 1])) strides[i - 1] = 0;
    }
    Shape storage = shape;
    int64_t offset = 0;
    if (input_.once_in(4)) {  // another layout of a storage of its own
      const int64_t extra = 1 + static_cast<int64_t>(input_.below(4));
      const int64_t all = std::max<int64_t>(count_of(shape), 1) * extra + extra;
      storage = {all};
      offset = static_cast<int64_t>(input_.below(static_cast<size_t>(extra) + 1));
      for (int64_t& each : strides) {
        if (-kMaxElements < each && each < kMaxElements) each *= extra;
      }
      if (input_.once_in(2) && strides.size() > 1) std::swap(strides.front(), strides.back());
      if (input_.once_in(8) && !strides.empty()) strides[0] = input_.extent();
      if (input_.once_in(16)) offset = input_.extent();
      if (input_.once_in(16)) mutate(storage);
    }
    const aclFormat format = input_.once_in(24) ? static_cast<aclFormat>(input_.number<int8_t>())
                                                : contract::format_of(shape.size());
    aclTensor* made =
        aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), offset, format,
                        storage.data(), storage.size(), memory_for(shape, storage, dtype));
    require(made != nullptr, "a tensor of at most 8 dims");
    tensors_.push_back(made);
    return made;
  }

  void* memory_for(const Shape& shape, const Shape& storage, aclDataType dtype) {
    const int64_t elements = count_of(storage);
    if (elements < 0 || count_of(shape) < 0) {
      can_run_ = false;  // there is no such memory
      return nullptr;
    }
    const size_t bytes = static_cast<size_t>(elements) * aclDataTypeSize(dtype);
    auto* memory = static_cast<unsigned char*>(std::malloc(bytes));
    require(memory != nullptr || bytes == 0, "memory for a small tensor");
    for (size_t i = 0; i < bytes; ++i) memory[i] = i < 64 ? input_.byte() : memory[i % 64];
    memory_.emplace_back(memory);
    return memory;
  }

  Input& input_;
  aclDataType dtype_;
  int64_t grow_;
  bool can_run_ = true;
  std::vector<Memory> memory_;
  std::vector<const aclTensor*> tensors_;
  std::vector<const aclScalar*> scalars_;
  std::vector<const aclIntArray*> arrays_;
  std::vector<const aclBoolArray*> bools_;
};

bool is_documented(aclnnStatus status) {
  return status == 0 || status == 161001 || status == 161002 || status == 561103 ||
         (status >= 561001 && status <= 561003);
}

void call_phase_two(Input& input, const std::string& name, contract::PhaseTwo* phase_two,
                    uint64_t workspace_size, aclOpExecutor* executor) {
  // malloc(0) gives an address of no bytes, as good as any for a workspace of none.
  const Memory workspace(std::malloc(workspace_size));
  uint64_t claimed = workspace_size;
  if (input.once_in(32)) claimed = input.number<uint8_t>();  // too small may be refused
  void* address = input.once_in(32) ? nullptr : workspace.get();
  const aclnnStatus status = phase_two(address, claimed, executor, nullptr);
  require_message(status, "phase two");
  require(status == 0 || address == nullptr || claimed < workspace_size,
          "phase two succeeds with the workspace asked for");
  const aclError outcome = aclrtSynchronizeStream(nullptr);
  require_message(outcome, "aclrtSynchronizeStream");
  static const std::set<std::string> kLookingUp = {"aclnnMaxPool2dWithIndicesBackward",
                                                   "aclnnMaxPool2dWithMaskBackward",
                                                   "aclnnMaxPool3dWithArgmaxBackward",
                                                   "aclnnAdaptiveMaxPool2dBackward",
                                                   "aclnnAdaptiveMaxPool3dBackward",
                                                   "aclnnMaxUnpool2d",
                                                   "aclnnMaxUnpool3d",
                                                   "aclnnNLLLoss",
                                                   "aclnnNLLLossBackward",
                                                   "aclnnIndexSelect",
                                                   "aclnnGather",
                                                   "aclnnGatherV2",
                                                   "aclnnEmbedding",
                                                   "aclnnEmbeddingDenseBackward"};
  const bool may_fail = kLookingUp.contains(name);
  require(outcome == 0 || (may_fail && outcome == ACL_ERROR_RT_INTERNAL_ERROR),
          "no task fails, but those that find a number out of range among their values");
  const aclnnStatus again = phase_two(address, claimed, executor, nullptr);
  require(again == 561103, "an executor runs once");
  require_message(again, "phase two, again");
}

}  // namespace

void fuzz_operators(const uint8_t* data, size_t size) {
  static const contract::Library library;
  static const bool ready = [] {
    aclgradSetNumThreads(1);
    return aclrtSetDevice(0) == 0;
  }();
  require(ready, "a device");
  constexpr const char* kProducts[] = {"Ascend910B", "Ascend910", "Ascend310P", "Ascend950"};
  Input input(data, size);
  for (int calls = 0; !input.empty() && calls < 4; ++calls) {
    require(aclgradSetSocName(input.once_in(8) ? input.pick(kProducts) : nullptr) == 0,
            "a known product");
    const Operator& row = contract::all_contracts()[input.below(contract::all_contracts().size())];
    Arguments arguments(input, row);
    uint64_t workspace_size = 0;
    aclOpExecutor* executor = nullptr;
    const aclnnStatus status =
        contract::call_phase_one(row, library.find(row.name() + "GetWorkspaceSize"),
                                 arguments.values, library.finder(), &workspace_size, &executor);
    require(is_documented(status), "a documented status of phase one");
    require_message(status, "phase one");
    require((status == 0) == (executor != nullptr), "an executor with success only");
    if (status != 0) continue;
    if (arguments.can_run() && workspace_size <= kMaxWorkspace) {
      call_phase_two(input, row.name(), library.get<contract::PhaseTwo>(row.name()), workspace_size,
                     executor);
    } else {
      require(aclDestroyAclOpExecutor(executor) == 0, "the executor is destroyed");
    }
  }
}

}  // namespace aclgrad::fuzz
