// SPDX-License-Identifier: Apache-2.0
#include "aclgrad/gradcheck_two_phase.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>
#include <map>

#include "acl/acl.h"
#include "aclgrad/error.h"
#include "aclgrad_ext.h"
#include "aclnn/aclnn_base.h"

namespace aclgrad::gradcheck {

struct Library::Runtime {
  decltype(aclInit)* init;
  decltype(aclrtSetDevice)* set_device;
  decltype(aclrtCreateStream)* create_stream;
  decltype(aclrtDestroyStream)* destroy_stream;
  decltype(aclrtSynchronizeStream)* synchronize;
  decltype(aclrtMalloc)* allocate;
  decltype(aclrtFree)* release;
  decltype(aclrtMemcpy)* copy;
  decltype(aclGetRecentErrMsg)* message;
  decltype(aclCreateTensor)* create_tensor;
  decltype(aclDestroyTensor)* destroy_tensor;
  decltype(aclCreateScalar)* create_scalar;
  decltype(aclDestroyScalar)* destroy_scalar;
  decltype(aclCreateIntArray)* create_int_array;
  decltype(aclDestroyIntArray)* destroy_int_array;
  decltype(aclDestroyAclOpExecutor)* destroy_executor;
  decltype(aclgradSetNumThreads)* set_threads;  // null on other libraries, as is the next
  decltype(aclgradGetNumThreads)* threads;
  aclrtStream stream = nullptr;
  std::vector<aclScalar*> scalars = {};
  std::map<std::vector<std::int64_t>, aclIntArray*> arrays = {};
};

Library::Library(std::string path, void* handle) : path_(std::move(path)), handle_(handle) {
  runtime_ = std::make_unique<Runtime>(Runtime{
      .init = function<decltype(aclInit)>("aclInit"),
      .set_device = function<decltype(aclrtSetDevice)>("aclrtSetDevice"),
      .create_stream = function<decltype(aclrtCreateStream)>("aclrtCreateStream"),
      .destroy_stream = function<decltype(aclrtDestroyStream)>("aclrtDestroyStream"),
      .synchronize = function<decltype(aclrtSynchronizeStream)>("aclrtSynchronizeStream"),
      .allocate = function<decltype(aclrtMalloc)>("aclrtMalloc"),
      .release = function<decltype(aclrtFree)>("aclrtFree"),
      .copy = function<decltype(aclrtMemcpy)>("aclrtMemcpy"),
      .message = function<decltype(aclGetRecentErrMsg)>("aclGetRecentErrMsg"),
      .create_tensor = function<decltype(aclCreateTensor)>("aclCreateTensor"),
      .destroy_tensor = function<decltype(aclDestroyTensor)>("aclDestroyTensor"),
      .create_scalar = function<decltype(aclCreateScalar)>("aclCreateScalar"),
      .destroy_scalar = function<decltype(aclDestroyScalar)>("aclDestroyScalar"),
      .create_int_array = function<decltype(aclCreateIntArray)>("aclCreateIntArray"),
      .destroy_int_array = function<decltype(aclDestroyIntArray)>("aclDestroyIntArray"),
      .destroy_executor = function<decltype(aclDestroyAclOpExecutor)>("aclDestroyAclOpExecutor"),
      .set_threads =
          reinterpret_cast<decltype(aclgradSetNumThreads)*>(find("aclgradSetNumThreads")),
      .threads = reinterpret_cast<decltype(aclgradGetNumThreads)*>(find("aclgradGetNumThreads"))});
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
  for (const aclScalar* scalar : runtime_->scalars) runtime_->destroy_scalar(scalar);
  for (const auto& [values, array] : runtime_->arrays) runtime_->destroy_int_array(array);
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

const aclScalar* Library::scalar(float value) {
  return runtime_->scalars.emplace_back(runtime_->create_scalar(&value, ACL_FLOAT));
}

const aclScalar* Library::scalar(Number value, DType dtype) {
  std::byte bytes[8] = {};
  store(bytes, dtype, 0, value);
  return runtime_->scalars.emplace_back(
      runtime_->create_scalar(bytes, static_cast<aclDataType>(dtype)));
}

const aclIntArray* Library::int_array(const std::vector<std::int64_t>& values) {
  aclIntArray*& array = runtime_->arrays[values];
  if (array == nullptr) {
    array = runtime_->create_int_array(values.data(), static_cast<std::uint64_t>(values.size()));
  }
  return array;
}

void Library::destroy(aclOpExecutor* executor) const { runtime_->destroy_executor(executor); }

std::string Library::product() const {
  auto* get = reinterpret_cast<decltype(aclrtGetSocName)*>(find("aclrtGetSocName"));
  const char* name = get == nullptr ? nullptr : get();
  return name == nullptr ? "" : name;
}

bool Library::can_set_product() const { return has("aclgradSetSocName"); }

void Library::set_product(const std::string& name) const {
  auto* set = reinterpret_cast<decltype(aclgradSetSocName)*>(find("aclgradSetSocName"));
  if (set != nullptr) set(name.empty() ? nullptr : name.c_str());
}

aclnnStatus Library::execute(const std::string& api, void* workspace, std::uint64_t size,
                             aclOpExecutor* executor, bool on_stream) const {
  auto* run = function<aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream)>(api);
  aclrtStream stream = on_stream ? runtime_->stream : nullptr;
  const aclnnStatus status = run(workspace, size, executor, stream);
  return status != 0 ? status : runtime_->synchronize(stream);
}

void Library::set_threads(int count) const {
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
      view.strides.data(), view.offset, ACL_FORMAT_ND, &view.storage, 1,
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
    const char* message = runtime.message();
    return fmt::format("{} returned {}{}{}", what, status, message == nullptr ? "" : ": ",
                       message == nullptr ? "" : message);
  };
  auto* execute = function<aclnnStatus(void*, std::uint64_t, aclOpExecutor*, aclrtStream)>(api);
  struct Restore {
    const Library& library;
    int threads;
    ~Restore() { library.set_threads(threads); }
  } const restore{*this, threads()};
  set_threads(call.threads);
  runtime.message();  // forgets those of earlier calls
  TensorsOnDevice tensors(*this, call.inputs, call.outputs);
  std::uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (const aclnnStatus status = plan(tensors.tensors(), &size, &executor); status != 0) {
    return failed(api + "GetWorkspaceSize", status);
  }
  std::vector<std::byte> scratch(size, std::byte{call.poison});
  void* workspace = nullptr;
  if (size > 0) {
    if (const aclError status = runtime.allocate(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST);
        status != 0) {
      return failed("aclrtMalloc", status);
    }
    runtime.copy(workspace, size, scratch.data(), size, ACL_MEMCPY_HOST_TO_DEVICE);
  }
  aclnnStatus status = execute(workspace, size, executor, runtime.stream);
  std::string result = status == 0 ? "" : failed(api, status);
  if (result.empty()) {
    status = runtime.synchronize(runtime.stream);
    if (status != 0) result = failed("aclrtSynchronizeStream", status);
  }
  if (workspace != nullptr) runtime.release(workspace);
  tensors.download();
  return result;
}

Backward from_executors(std::shared_ptr<Library> library, std::string api, PlanFunction plan) {
  return [library = std::move(library), api = std::move(api), plan = std::move(plan)](
             const BackwardCall& call) { return library->run(api, plan, call); };
}

}  // namespace aclgrad::gradcheck
