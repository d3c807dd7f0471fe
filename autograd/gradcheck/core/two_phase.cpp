// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck/two_phase.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "acl/acl.h"
#include "aclgrad/error.h"
#include "aclgrad/runtime/handles.h"
#include "aclgrad_ext.h"
#include "aclnn/aclnn_base.h"
#include "gradcheck/core/watch.h"

namespace aclgrad::gradcheck {

// The library's functions by name, and what was made with them.
struct Library::Runtime {
  // An address that is a function of whatever type it is stored as.
  struct Symbol {
    void* address;
    template <class Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(address);
    }
  };

  explicit Runtime(void* library) : handle(library) {}

  Symbol find(const char* name) const { return {dlsym(handle, name)}; }
  Symbol require(const char* name) {
    const Symbol symbol = find(name);
    if (symbol.address == nullptr) lacking.emplace_back(name);
    return symbol;
  }

  void* handle;
  std::vector<std::string> lacking = {};  // of the functions that every check needs
  decltype(aclInit)* init = require("aclInit");
  decltype(aclrtSetDevice)* set_device = require("aclrtSetDevice");
  decltype(aclrtCreateStream)* create_stream = require("aclrtCreateStream");
  decltype(aclrtDestroyStream)* destroy_stream = require("aclrtDestroyStream");
  decltype(aclrtSynchronizeStream)* synchronize = require("aclrtSynchronizeStream");
  decltype(aclrtMalloc)* allocate = require("aclrtMalloc");
  decltype(aclrtFree)* release = require("aclrtFree");
  decltype(aclrtMemcpy)* copy = require("aclrtMemcpy");
  decltype(aclCreateTensor)* create_tensor = require("aclCreateTensor");
  decltype(aclDestroyTensor)* destroy_tensor = require("aclDestroyTensor");

  // Null where the library lacks them.
  decltype(aclGetRecentErrMsg)* message = find("aclGetRecentErrMsg");
  decltype(aclCreateScalar)* create_scalar = find("aclCreateScalar");
  decltype(aclDestroyScalar)* destroy_scalar = find("aclDestroyScalar");
  decltype(aclCreateIntArray)* create_int_array = find("aclCreateIntArray");
  decltype(aclDestroyIntArray)* destroy_int_array = find("aclDestroyIntArray");
  decltype(aclCreateBoolArray)* create_bool_array = find("aclCreateBoolArray");
  decltype(aclDestroyBoolArray)* destroy_bool_array = find("aclDestroyBoolArray");
  decltype(aclDestroyAclOpExecutor)* destroy_executor = find("aclDestroyAclOpExecutor");
  decltype(aclgradSetNumThreads)* set_threads = find("aclgradSetNumThreads");
  decltype(aclgradGetNumThreads)* threads = find("aclgradGetNumThreads");

  aclrtStream stream = nullptr;
  std::vector<const aclScalar*> scalars = {};
  std::map<std::vector<std::int64_t>, const aclIntArray*> arrays = {};
  std::map<std::vector<char>, const aclBoolArray*> bool_arrays = {};
  std::set<std::string> missing = {};
  bool refused = false;

  // The messages since the last call.
  std::string messages() const {
    const char* text = message == nullptr ? nullptr : message();
    return text == nullptr ? "" : text;
  }
};

Library::Library(std::string path, void* handle)
    : path_(std::move(path)), handle_(handle), runtime_(std::make_unique<Runtime>(handle)) {
  if (!runtime_->lacking.empty()) {
    throw IoError(fmt::format("{}: has no function {}", path_, fmt::join(runtime_->lacking, ", ")));
  }
  // A second aclInit of the process is refused; whether it was the first does not matter here.
  static_cast<void>(runtime_->init(nullptr));
  if (const aclError status = runtime_->set_device(0); status != 0) {
    throw StatusError(fmt::format("{}: aclrtSetDevice(0) returned {}", path_, status), status);
  }
  if (const aclError status = runtime_->create_stream(&runtime_->stream); status != 0) {
    throw StatusError(fmt::format("{}: aclrtCreateStream returned {}", path_, status), status);
  }
}

// The library stays loaded: its runtime may have threads that outlive this object.
Library::~Library() {
  if (runtime_->destroy_scalar != nullptr) {
    for (const aclScalar* scalar : runtime_->scalars) runtime_->destroy_scalar(scalar);
  }
  if (runtime_->destroy_int_array != nullptr) {
    for (const auto& [values, array] : runtime_->arrays) runtime_->destroy_int_array(array);
  }
  if (runtime_->destroy_bool_array != nullptr) {
    for (const auto& [values, array] : runtime_->bool_arrays) runtime_->destroy_bool_array(array);
  }
  runtime_->destroy_stream(runtime_->stream);
}

std::shared_ptr<Library> Library::open(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw IoError(fmt::format("{}: cannot be opened as a shared library: {}", path,
                              why == nullptr ? "for no reason given" : why));
  }
  return std::shared_ptr<Library>(new Library(path, handle));
}

std::shared_ptr<Library> Library::linked() {
  return std::shared_ptr<Library>(new Library("this program", dlopen(nullptr, RTLD_NOW)));
}

void* Library::find(const std::string& name) const { return dlsym(handle_, name.c_str()); }

void* Library::required(const std::string& name) const {
  void* symbol = find(name);
  if (symbol == nullptr) throw IoError(fmt::format("{}: has no function {}", path_, name));
  return symbol;
}

std::string Library::origin(const std::string& name) const {
  Dl_info info{};
  void* symbol = find(name);
  if (symbol == nullptr || dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return "";
  const std::string file = info.dli_fname;
  return file.substr(file.rfind('/') + 1);
}

void* Library::ask(const std::string& name) {
  void* symbol = find(name);
  if (symbol == nullptr) runtime_->missing.insert(name);
  return symbol;
}

std::vector<std::string> Library::take_missing() {
  const std::set<std::string> names = std::exchange(runtime_->missing, {});
  return {names.begin(), names.end()};
}

const aclScalar* Library::scalar(float value) {
  return scalar(static_cast<Number>(value), DType::float32);
}

const aclScalar* Library::scalar(Number value, DType dtype) {
  if (ask("aclCreateScalar") == nullptr) return nullptr;
  const detail::WatchedStretch watched;
  std::byte bytes[8] = {};
  store(bytes, dtype, 0, value);
  return runtime_->scalars.emplace_back(
      runtime_->create_scalar(bytes, static_cast<aclDataType>(dtype)));
}

const aclBoolArray* Library::bool_array(const std::vector<char>& values) {
  if (ask("aclCreateBoolArray") == nullptr) return nullptr;
  const detail::WatchedStretch watched;
  const aclBoolArray*& array = runtime_->bool_arrays[values];
  if (array == nullptr) {
    const auto bools = std::make_unique<bool[]>(values.size());
    std::copy(values.begin(), values.end(), bools.get());
    array = runtime_->create_bool_array(bools.get(), static_cast<std::uint64_t>(values.size()));
  }
  return array;
}

const aclIntArray* Library::int_array(const std::vector<std::int64_t>& values) {
  if (ask("aclCreateIntArray") == nullptr) return nullptr;
  const detail::WatchedStretch watched;
  const aclIntArray*& array = runtime_->arrays[values];
  if (array == nullptr) {
    array = runtime_->create_int_array(values.data(), static_cast<std::uint64_t>(values.size()));
  }
  return array;
}

void Library::destroy(aclOpExecutor* executor) const {
  const detail::WatchedStretch watched;
  if (runtime_->destroy_executor != nullptr) runtime_->destroy_executor(executor);
}

std::string Library::product() const {
  const detail::WatchedStretch watched;
  auto* get = reinterpret_cast<decltype(aclrtGetSocName)*>(find("aclrtGetSocName"));
  const char* name = get == nullptr ? nullptr : get();
  return name == nullptr ? "" : name;
}

bool Library::can_set_product() const { return has("aclgradSetSocName"); }

void Library::set_product(const std::string& name) const {
  const detail::WatchedStretch watched;
  auto* set = reinterpret_cast<decltype(aclgradSetSocName)*>(find("aclgradSetSocName"));
  if (set != nullptr) set(name.empty() ? nullptr : name.c_str());
}

aclnnStatus Library::execute(const std::string& api, void* workspace, std::uint64_t size,
                             aclOpExecutor* executor, bool on_stream) const {
  const detail::WatchedCall watched(api);
  if (!watched.crash().empty()) return kCrashed;
  auto* run = function<aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream)>(api);
  aclrtStream stream = on_stream ? runtime_->stream : nullptr;
  const aclnnStatus status = run(workspace, size, executor, stream);
  return status != 0 ? status : runtime_->synchronize(stream);
}

void Library::set_threads(int count) const {
  const detail::WatchedStretch watched;
  if (runtime_->set_threads != nullptr) runtime_->set_threads(count);
}

int Library::threads() const { return runtime_->threads == nullptr ? 0 : runtime_->threads(); }

TensorsOnDevice::TensorsOnDevice(Library& library, std::span<const View> inputs,
                                 std::span<const View> outputs)
    : library_(library) {
  for (const View& view : inputs) add(view);
  for (const View& view : outputs) add(view);
}

TensorsOnDevice::~TensorsOnDevice() {
  const Library::Runtime& runtime = *library_.runtime_;
  for (const aclTensor* tensor : tensors_) {
    if (tensor != nullptr) runtime.destroy_tensor(tensor);
  }
  for (const Block& block : blocks_) runtime.release(block.device);
}

void TensorsOnDevice::add(const View& view) {
  if (view.data == nullptr) {
    tensors_.push_back(nullptr);
    return;
  }
  const Library::Runtime& runtime = *library_.runtime_;
  void* device = nullptr;
  for (const Block& block : blocks_) {
    if (block.host == view.block) device = block.device;
  }
  if (device == nullptr) {
    if (const aclError status =
            runtime.allocate(&device, view.block_bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        status != 0) {
      throw StatusError(fmt::format("aclrtMalloc returned {}", status), status);
    }
    blocks_.push_back({view.block, device, view.block_bytes});
    if (const aclError status = runtime.copy(device, view.block_bytes, view.block, view.block_bytes,
                                             ACL_MEMCPY_HOST_TO_DEVICE);
        status != 0) {
      throw StatusError(fmt::format("aclrtMemcpy to the device returned {}", status), status);
    }
  }
  tensors_.push_back(runtime.create_tensor(
      view.shape.data(), view.shape.size(), static_cast<aclDataType>(view.dtype),
      view.strides.data(), view.offset, format_of_rank(view.shape.size()), &view.storage, 1,
      static_cast<std::byte*>(device) + view.guard));
}

void TensorsOnDevice::download() {
  for (const Block& block : blocks_) {
    if (const aclError status = library_.runtime_->copy(block.host, block.bytes, block.device,
                                                        block.bytes, ACL_MEMCPY_DEVICE_TO_HOST);
        status != 0) {
      throw StatusError(fmt::format("aclrtMemcpy to the host returned {}", status), status);
    }
  }
}

std::string Library::run(const std::string& api, const PlanFunction& plan,
                         const BackwardCall& call) {
  const Runtime& runtime = *runtime_;
  const auto failed = [&](const std::string& what, int status) {
    const std::string message = runtime.messages();
    return fmt::format("{} returned {}{}{}", what, status, message.empty() ? "" : ": ", message);
  };
  auto* execute = function<aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream)>(api);
  const detail::WatchedCall watched(api);
  if (!watched.crash().empty()) {
    runtime_->refused = false;
    return api + " " + watched.crash();
  }
  struct Restore {
    const Library& library;
    int threads;
    ~Restore() { library.set_threads(threads); }
  } const restore{*this, threads()};
  set_threads(call.threads);
  runtime.messages();  // forgets those of earlier calls
  TensorsOnDevice tensors(*this, call.inputs, call.outputs);
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const aclnnStatus planned = plan(tensors.tensors(), &size, &executor);
  runtime_->refused = planned == 161002;
  if (planned != 0) return failed(api + "GetWorkspaceSize", planned);
  std::vector<std::byte> scratch(size, std::byte{call.poison});
  void* workspace = nullptr;
  if (size > 0) {
    if (const aclError status = runtime.allocate(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
        status != 0) {
      return failed("aclrtMalloc", status);
    }
    runtime.copy(workspace, size, scratch.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
  }
  const auto phase_two = [&] { return execute(workspace, size, executor, runtime.stream); };
  std::string result;
  aclnnStatus status = 0;
  if (call.replayed) {
    result = replay(phase_two);
  } else if (status = phase_two(); status != 0) {
    result = failed(api, status);
  }
  if (result.empty()) {
    status = runtime.synchronize(runtime.stream);
    if (status != 0) result = failed("aclrtSynchronizeStream", status);
  }
  if (workspace != nullptr) runtime.release(workspace);
  tensors.download();
  return result;
}

bool Library::refused() const { return runtime_->refused; }

bool Library::can_replay() const {
  return has("aclmdlRICaptureBegin") && has("aclmdlRICaptureEnd") && has("aclmdlRIExecuteAsync") &&
         has("aclmdlRIDestroy");
}

// Records phase two and runs the recording, waiting for it. Returns "" or what failed.
std::string Library::replay(const std::function<aclnnStatus()>& phase_two) const {
  aclrtStream stream = runtime_->stream;
  const auto failed = [](const char* what, int status) {
    return status == 0 ? "" : fmt::format("{} returned {}", what, status);
  };
  aclmdlRI model = nullptr;
  std::string result = failed("aclmdlRICaptureBegin",
                              function<decltype(aclmdlRICaptureBegin)>("aclmdlRICaptureBegin")(
                                  stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  if (!result.empty()) return result;
  result = failed("phase two, recorded,", phase_two());
  const std::string ended =
      failed("aclmdlRICaptureEnd",
             function<decltype(aclmdlRICaptureEnd)>("aclmdlRICaptureEnd")(stream, &model));
  if (result.empty()) result = ended;
  if (result.empty()) {
    result =
        failed("aclmdlRIExecuteAsync",
               function<decltype(aclmdlRIExecuteAsync)>("aclmdlRIExecuteAsync")(model, stream));
  }
  if (result.empty()) result = failed("aclrtSynchronizeStream", runtime_->synchronize(stream));
  if (model != nullptr) function<decltype(aclmdlRIDestroy)>("aclmdlRIDestroy")(model);
  return result;
}

Backward from_executors(std::shared_ptr<Library> library, std::string api, PlanFunction plan) {
  return [library = std::move(library), api = std::move(api), plan = std::move(plan)](
             const BackwardCall& call) { return library->run(api, plan, call); };
}

}  // namespace aclgrad::gradcheck
