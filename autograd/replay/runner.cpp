// SPDX-License-Identifier: Apache-2.0
#include "replay/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include "acl/acl.h"

namespace aclgrad::replay {
namespace {

using contract::Value;

// Larger blocks of the program are replaced by what of them the tensors need.
constexpr std::uint64_t kLargestBlock = std::uint64_t{256} << 20;
constexpr std::uint64_t kLargestCall = std::uint64_t{16} << 30;  // refused without asking for it

template <class Function>
Function* function(const gradcheck::Library& library, const char* name) {
  return library.function<Function>(name);
}

// Stretches of the recorded memory, each with memory here.
class Mirror {
 public:
  Mirror(const gradcheck::Library& library, const Task& task, const Blocks& blocks)
      : allocate_(function<decltype(aclrtMalloc)>(library, "aclrtMalloc")),
        release_(function<decltype(aclrtFree)>(library, "aclrtFree")),
        copy_(function<decltype(aclrtMemcpy)>(library, "aclrtMemcpy")) {
    for (const TensorArgument& tensor : task.tensors) {
      const auto extent = tensor.extent();
      if (!extent) continue;
      // The base address, too: an operator may ask what is allocated there.
      const std::uint64_t begin = std::min(tensor.address, extent->at);
      const Blocks::Block* const block = blocks.find(tensor.address);
      if (block != nullptr && block->size <= kLargestBlock) {
        join(block->begin, block->begin + block->size);
      } else {
        join(begin, extent->end());
      }
    }
    for (Stretch& each : stretches_) {
      const std::uint64_t size = each.end - each.begin;
      if (size > kLargestCall) {
        throw StatusError(fmt::format("its tensors take {} bytes", size),
                          ACL_ERROR_RT_MEMORY_ALLOCATION);
      }
      if (const aclError status = allocate_(&each.memory, size, ACL_MEM_MALLOC_HUGE_FIRST);
          status != 0) {
        throw StatusError(fmt::format("aclrtMalloc of {} bytes returned {}", size, status), status);
      }
    }
  }
  ~Mirror() {
    for (const Stretch& each : stretches_) {
      if (each.memory != nullptr) release_(each.memory);
    }
  }
  Mirror(const Mirror&) = delete;
  Mirror& operator=(const Mirror&) = delete;

  // Null for null; an address of which nothing is mirrored stays as it is, as only a tensor without
  // elements has it.
  void* here(std::uint64_t address) const {
    for (const Stretch& each : stretches_) {
      if (address >= each.begin && address < each.end) {
        return static_cast<std::byte*>(each.memory) + (address - each.begin);
      }
    }
    return reinterpret_cast<void*>(address);
  }

  // What of it lies in one stretch: a tensor may reach beyond the end of its block.
  std::uint64_t room(const Bytes& bytes) const {
    for (const Stretch& each : stretches_) {
      if (bytes.at >= each.begin && bytes.at < each.end)
        return std::min(bytes.size, each.end - bytes.at);
    }
    return 0;
  }
  void write(const Bytes& bytes, Content content) const {
    const std::uint64_t size = std::min<std::uint64_t>(room(bytes), content.size());
    if (size > 0)
      check(copy_(here(bytes.at), size, content.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
  }
  std::vector<std::byte> read(const Bytes& bytes) const {
    std::vector<std::byte> content(room(bytes));
    if (!content.empty()) {
      check(copy_(content.data(), content.size(), here(bytes.at), content.size(),
                  ACL_MEMCPY_DEVICE_TO_HOST));
    }
    return content;
  }

 private:
  struct Stretch {
    std::uint64_t begin;
    std::uint64_t end;
    void* memory = nullptr;
  };

  static void check(aclError status) {
    if (status != 0) throw StatusError(fmt::format("aclrtMemcpy returned {}", status), status);
  }
  void join(std::uint64_t begin, std::uint64_t end) {
    std::erase_if(stretches_, [&](const Stretch& each) {
      if (each.end < begin || each.begin > end) return false;
      begin = std::min(begin, each.begin);
      end = std::max(end, each.end);
      return true;
    });
    stretches_.push_back({begin, end});
  }

  decltype(aclrtMalloc)* allocate_;
  decltype(aclrtFree)* release_;
  decltype(aclrtMemcpy)* copy_;
  std::vector<Stretch> stretches_;
};

std::vector<std::byte> bytes_from(const std::string& digits) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<std::byte>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

double number_of(const Json& json) {
  if (!json.is_string()) return json.is_boolean() ? (json.get<bool>() ? 1 : 0) : json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf" || text == "-inf") return text == "inf" ? INFINITY : -INFINITY;
  throw IoError(fmt::format("\"{}\" is no number", text));
}

// A library's objects for the arguments of a call; they go with this.
class Objects {
 public:
  Objects(const gradcheck::Library& library, const Mirror& mirror,
          const std::vector<TensorArgument>& tensors)
      : library_(library), mirror_(mirror), tensors_(tensors) {}
  ~Objects() {
    for (auto each = destroy_.rbegin(); each != destroy_.rend(); ++each) (*each)();
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  Value value(const std::string& type, const std::string& name, const Json& json) {
    if (json.is_object() && json.contains("unknown")) {
      throw IoError(name +
                    " was made before the record began, or by a function that it does not know");
    }
    if (type.ends_with("aclTensor*")) return json.is_null() ? nullptr : tensor(name);
    if (type.ends_with("aclTensorList*")) return tensor_list(name, json);
    if (type.ends_with("aclScalar*")) return json.is_null() ? nullptr : scalar(json, true);
    if (type.ends_with("aclScalarList*")) return scalar_list(json);
    if (type.ends_with("aclIntArray*")) return int_array(json);
    if (type.ends_with("aclBoolArray*")) return bool_array(json);
    if (type.ends_with("char*")) {
      if (json.is_null()) return static_cast<char*>(nullptr);
      return texts_.emplace_back(json.get<std::string>()).data();
    }
    if (type == "float" || type == "double") return number_of(json);
    if (json.is_boolean()) return static_cast<std::int64_t>(json.get<bool>());
    // Of uint64_t too: the same 64 bits.
    if (json.is_number_unsigned()) return static_cast<std::int64_t>(whole<std::uint64_t>(json));
    return whole<std::int64_t>(json);
  }

 private:
  template <class Object>
  Object* keep(Object* object, const char* destroy) {
    if (object == nullptr)
      throw StatusError(fmt::format("{} had nothing to destroy", destroy), 561000);
    auto* const gone = function<aclnnStatus(const Object*)>(library_, destroy);
    destroy_.push_back([gone, object] { gone(object); });
    return object;
  }

  aclTensor* tensor(const std::string& name) { return keep(made_tensor(name), "aclDestroyTensor"); }
  aclTensor* made_tensor(const std::string& name) {
    for (const TensorArgument& each : tensors_) {
      if (each.name != name) continue;
      return function<decltype(aclCreateTensor)>(library_, "aclCreateTensor")(
          each.shape.data(), each.shape.size(), each.dtype, each.strides.data(), each.offset,
          each.format, each.storage.data(), each.storage.size(), mirror_.here(each.address));
    }
    throw IoError(name + " is no tensor");
  }
  aclTensorList* tensor_list(const std::string& name, const Json& json) {
    if (json.is_null()) return nullptr;
    std::vector<const aclTensor*> members;
    for (std::size_t i = 0; i < json.size(); ++i) {
      members.push_back(json[i].is_null() ? nullptr : made_tensor(fmt::format("{}[{}]", name, i)));
    }
    // The members go with their list.
    return keep(function<decltype(aclCreateTensorList)>(library_, "aclCreateTensorList")(
                    members.data(), members.size()),
                "aclDestroyTensorList");
  }
  aclScalar* scalar(const Json& json, bool is_kept) {
    std::vector<std::byte> bytes = bytes_from(json.at("bytes").get<std::string>());
    bytes.resize(16);
    aclScalar* const made = function<decltype(aclCreateScalar)>(library_, "aclCreateScalar")(
        bytes.data(), dtype_of(json.at("dtype")));
    return is_kept ? keep(made, "aclDestroyScalar") : made;
  }
  aclScalarList* scalar_list(const Json& json) {
    if (json.is_null()) return nullptr;
    std::vector<const aclScalar*> members;
    for (const Json& each : json) members.push_back(scalar(each, false));
    return keep(function<decltype(aclCreateScalarList)>(library_, "aclCreateScalarList")(
                    members.data(), members.size()),
                "aclDestroyScalarList");
  }
  aclIntArray* int_array(const Json& json) {
    if (json.is_null()) return nullptr;
    const auto values = wholes(json);
    return keep(function<decltype(aclCreateIntArray)>(library_, "aclCreateIntArray")(values.data(),
                                                                                     values.size()),
                "aclDestroyIntArray");
  }
  aclBoolArray* bool_array(const Json& json) {
    if (json.is_null()) return nullptr;
    const auto values = std::make_unique<bool[]>(json.size() + 1);
    for (std::size_t i = 0; i < json.size(); ++i) values[i] = json[i].get<bool>();
    return keep(function<decltype(aclCreateBoolArray)>(library_, "aclCreateBoolArray")(values.get(),
                                                                                       json.size()),
                "aclDestroyBoolArray");
  }

  const gradcheck::Library& library_;
  const Mirror& mirror_;
  const std::vector<TensorArgument>& tensors_;
  std::deque<std::string> texts_;
  std::vector<std::function<void()>> destroy_;
};

std::string taken_message(const gradcheck::Library& library) {
  auto* const get =
      reinterpret_cast<decltype(aclGetRecentErrMsg)*>(library.find("aclGetRecentErrMsg"));
  const char* const text = get == nullptr ? nullptr : get();
  return text == nullptr ? "" : text;
}

// Null for none. Throws StatusError where there is no memory.
void* workspace_of(const gradcheck::Library& library, std::uint64_t size) {
  void* workspace = nullptr;
  if (size == 0) return workspace;
  const aclError status = function<decltype(aclrtMalloc)>(library, "aclrtMalloc")(
      &workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
  if (status != 0)
    throw StatusError(fmt::format("aclrtMalloc of {} bytes returned {}", size, status), status);
  return workspace;
}

bool allocates(const std::string& name) {
  return name == "aclrtMalloc" || name == "aclrtMallocAlign32" || name == "aclrtMallocCached" ||
         name == "aclrtMallocWithCfg";
}

}  // namespace

bool frees(const Call& call) {
  return call.function == "aclrtFree" || call.function == "aclrtFreeWithDevSync";
}

void Blocks::see_made(const Call& call) {
  if (call.status != 0 || !allocates(call.function)) return;
  const std::uint64_t begin = address_of(argument(call, "devPtr"));
  blocks_[begin] = {begin, whole<std::uint64_t>(argument(call, "size")), call.number};
}

void Blocks::see_gone(const Call& call) {
  if (frees(call)) blocks_.erase(address_of(argument(call, "devPtr")));
}

const Blocks::Block* Blocks::find(std::uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return nullptr;
  const Block& block = (--after)->second;
  return address - block.begin < block.size ? &block : nullptr;
}

Runner::Runner(std::shared_ptr<gradcheck::Library> library) : library_(std::move(library)) {
  const aclError status =
      function<decltype(aclrtCreateStream)>(*library_, "aclrtCreateStream")(&stream_);
  if (status != 0) throw StatusError(fmt::format("aclrtCreateStream returned {}", status), status);
}

void Runner::see_settings(const Call& call) {
  if (call.product) library_->set_product(*call.product);
  if (call.function == "aclgradSetAcceptDouble" && library_->has(call.function)) {
    function<void(std::int32_t)>(
        *library_, call.function.c_str())(argument(call, "accept").get<std::int32_t>());
  }
}

Outcome Runner::run(const Task& task, const Blocks& blocks, bool phase_one_alone) {
  const contract::Operator& op = *task.op;
  const std::vector<std::string>& types = op.call.types;
  if (task.plan->arguments.size() != types.size() + 2) {
    throw IoError(fmt::format("{} has {} arguments in the record, expected {}", task.plan->function,
                              task.plan->arguments.size(), types.size() + 2));
  }
  const Mirror mirror(*library_, task, blocks);
  Objects objects(*library_, mirror, task.tensors);
  std::vector<Value> values;
  for (const auto& [name, json] : task.plan->arguments.items()) {
    if (values.size() == types.size()) break;
    values.push_back(objects.value(types[values.size()], name, json));
  }
  for (std::size_t i = 0; i < task.before.size(); ++i) {
    if (const auto extent = task.tensors[i].extent()) mirror.write(*extent, task.before[i]);
  }
  taken_message(*library_);
  Outcome outcome;
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const auto is_given = [&](const char* name) {
    return !task.plan->arguments.contains(name) || !task.plan->arguments.at(name).is_null();
  };
  outcome.planned = op.call.invoke(library_->find(op.name() + "GetWorkspaceSize"), values,
                                   is_given("workspaceSize") ? &size : nullptr,
                                   is_given("executor") ? &executor : nullptr);
  if (outcome.planned != 0) {
    outcome.message = taken_message(*library_);
    return outcome;
  }
  if (phase_one_alone) {
    library_->destroy(executor);
    return outcome;
  }
  const auto destroy = [&](aclOpExecutor* unused) { library_->destroy(unused); };
  std::unique_ptr<aclOpExecutor, decltype(destroy)> planned(executor, destroy);
  const std::unique_ptr<void, decltype(aclrtFree)*> workspace(
      workspace_of(*library_, size), function<decltype(aclrtFree)>(*library_, "aclrtFree"));
  auto* const run = function<aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream)>(
      *library_, op.name().c_str());
  auto* const wait =
      function<decltype(aclrtSynchronizeStream)>(*library_, "aclrtSynchronizeStream");
  // What was refused there is given as it was.
  const bool is_refused = task.call != nullptr && task.call->status != 0;
  const bool lacks_workspace = is_refused && argument(*task.call, "workspace").is_null();
  std::uint64_t given = size;
  if (is_refused) {
    const auto recorded = whole<std::uint64_t>(argument(*task.call, "workspaceSize"));
    given = lacks_workspace ? recorded : std::min(size, recorded);
  }
  outcome.ran = run(lacks_workspace ? nullptr : workspace.get(), given, planned.release(), stream_);
  if (outcome.ran == 0) outcome.ran = wait(stream_);
  if (outcome.ran != 0) outcome.message = taken_message(*library_);
  for (const TensorArgument& tensor : task.tensors) {
    const auto extent = tensor.extent();
    outcome.after.push_back(extent ? mirror.read(*extent) : std::vector<std::byte>());
  }
  return outcome;
}

}  // namespace aclgrad::replay
