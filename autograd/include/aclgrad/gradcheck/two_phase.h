// SPDX-License-Identifier: Apache-2.0
// Operators of any library with the two-phase C interface, found at run time: this project's own,
// the vendor's, another backend's. Nothing here needs a library at link time.
//
//   auto library = Library::open("libopapi.so");
//   auto* plan = library->function<decltype(aclnnSeluBackwardGetWorkspaceSize)>(
//       "aclnnSeluBackwardGetWorkspaceSize");
//   op.backward = from_executors(library, "aclnnSeluBackward",
//                                [plan](auto t, auto* size, auto** executor) {
//                                  return plan(t[0], t[1], t[2], size, executor);
//                                });
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "aclgrad/gradcheck/operator.h"
#include "aclnn/acl_meta.h"

namespace aclgrad::gradcheck {

/// Phase one of an operator, its attributes bound: tensors are inputs, then outputs.
using PlanFunction = std::function<aclnnStatus(
    std::span<aclTensor* const> tensors, std::uint64_t* workspace_size, aclOpExecutor** executor)>;

/// A shared library, its runtime brought up: device 0 is set and there is a stream. Symbols are
/// looked up in it and in the libraries it needs. For one thread at a time.
class Library {
 public:
  /// Opens a shared library by path or name. Throws IoError when it cannot be opened, or lacks
  /// functions that every check needs: those for the device, a stream, memory and tensors (the
  /// message names all that are missing); StatusError when the device cannot be set.
  static std::shared_ptr<Library> open(const std::string& path);

  /// What the program is linked with. A linker may leave out libraries of which nothing is called.
  static std::shared_ptr<Library> linked();

  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const std::string& path() const { return path_; }

  /// Null when there is no such symbol.
  void* find(const std::string& name) const;
  bool has(const std::string& name) const { return find(name) != nullptr; }

  /// Throws IoError, naming the symbol, when there is none.
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(required(name));
  }

  /// Where a symbol comes from, as a file name; "" when it is unknown.
  std::string origin(const std::string& name) const;

  /// Names of the functions that the shared library itself defines; empty when that is unknown.
  std::vector<std::string> exported() const;

  /// As find(), for a function that a check needs: a missing one is noted for take_missing().
  void* ask(const std::string& name);

  /// Names of the functions that were asked for since the last call and are missing, in order.
  std::vector<std::string> take_missing();

  /// A scalar or an array of the library's; they live as long as it. Null, and noted for
  /// take_missing(), where the library has none.
  const aclScalar* scalar(float value);
  const aclScalar* scalar(Number value, DType dtype);
  const aclIntArray* int_array(const std::vector<std::int64_t>& values);
  const aclBoolArray* bool_array(const std::vector<char>& values);

  /// Runs both phases on the call's tensors and waits; `api` is the name of phase two. Returns ""
  /// or what failed, with its status and the library's message.
  std::string run(const std::string& api, const PlanFunction& plan, const BackwardCall& call);

  /// Whether phase one ended the last run because it takes no such parameters (161002).
  bool refused() const;

  /// Whether it has the vendor's functions to record what is queued on a stream.
  bool can_replay() const;

  /// Drops an executor that will not run; leaves it where the library has no function for that.
  void destroy(aclOpExecutor* executor) const;

  /// The chip's name ("Ascend910B1"); "" when the library does not say.
  std::string product() const;

  /// Applies the tables of another product, where the library has such a setting; "" for the
  /// device's own.
  void set_product(const std::string& name) const;
  bool can_set_product() const;

  /// Phase two and a wait. Null pointers are passed on as they are; the stream is the library's
  /// own, or none. Returns the status of phase two, or, when that is 0, of the wait; kCrashed for a
  /// call that ended another process (as in a run of aclgrad-gradcheck), and is left out.
  static constexpr aclnnStatus kCrashed = -1;
  aclnnStatus execute(const std::string& api, void* workspace, std::uint64_t size,
                      aclOpExecutor* executor, bool on_stream = true) const;

  /// Takes the number of threads for coming calls, where the library has such a setting.
  void set_threads(int count) const;
  /// The number now in force; 0 where the library has no such setting.
  int threads() const;

 private:
  Library(std::string path, void* handle);
  void* required(const std::string& name) const;
  std::string replay(const std::function<aclnnStatus()>& phase_two) const;
  friend class TensorsOnDevice;

  struct Runtime;
  std::string path_;
  void* handle_;
  std::unique_ptr<Runtime> runtime_;
};

/// Tensors of a library's device that mirror host memory, block by block; views of one block share
/// memory there too.
class TensorsOnDevice {
 public:
  TensorsOnDevice(Library& library, std::span<const View> inputs, std::span<const View> outputs);
  ~TensorsOnDevice();
  TensorsOnDevice(const TensorsOnDevice&) = delete;
  TensorsOnDevice& operator=(const TensorsOnDevice&) = delete;

  /// Inputs, then outputs; null for an output without data.
  std::span<aclTensor* const> tensors() const { return tensors_; }

  /// Copies every block back.
  void download();

 private:
  struct Block {
    std::byte* host;
    void* device;
    std::size_t bytes;
  };
  void add(const View& view);

  Library& library_;
  std::vector<Block> blocks_;
  std::vector<aclTensor*> tensors_;
};

/// A backward that does so. `api` is the name of phase two.
Backward from_executors(std::shared_ptr<Library> library, std::string api, PlanFunction plan);

}  // namespace aclgrad::gradcheck
