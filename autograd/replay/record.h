// SPDX-License-Identifier: Apache-2.0
// A record of calls, as the recorder writes it (docs/how-to/records.md), read and checked: nothing
// in it is trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aclgrad/error.h"
#include "aclnn/acl_meta.h"

namespace aclgrad::replay {

using Json = nlohmann::ordered_json;  // arguments stand in the order of the header

/// A number of a record. Throws Json::type_error for what is none, or not whole, or too large.
template <class T>
T whole(const Json& json) {
  if (json.is_number_unsigned() && std::in_range<T>(json.get<std::uint64_t>()))
    return static_cast<T>(json.get<std::uint64_t>());
  if (json.is_number_integer() && !json.is_number_unsigned() &&
      std::in_range<T>(json.get<std::int64_t>()))
    return static_cast<T>(json.get<std::int64_t>());
  throw Json::type_error::create(302, "a number is not whole, or too large", &json);
}
std::vector<std::int64_t> wholes(const Json& json);

/// Memory of the device that a call found or left.
struct Bytes {
  std::string name;  // of the argument: "self", "tensors[1]", "dst"
  std::uint64_t at = 0;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> content = {};  // where it begins in contents.bin; none: not kept
  std::string hash = {};                      // of what was not kept, where the record has it

  std::uint64_t end() const { return at + size; }
};

/// What a record has of memory; it lives as long as the record.
using Content = std::span<const std::byte>;

/// Whether two are known to hold something else: of one record, and by their hashes, where they
/// have any.
bool are_other(const Bytes& a, const Bytes& b);
bool are_other_hashes(const std::string& a, const std::string& b);

struct Call {
  std::uint64_t number = 0;  // its place in Record::calls()
  std::string function;
  std::int64_t thread = 0;
  Json arguments;
  std::int64_t status = 0;
  std::optional<std::uint64_t> plan;   // of a phase two: the number of its phase one
  std::optional<std::string> product;  // whose tables hold from here on
  bool is_captured = false;            // into a recording: it did not run here
  std::uint64_t recording = 0;         // its handle; 0: the runtime could not say
  std::optional<std::uint64_t> run;    // of a recording's call: that of the call that ran it
  std::vector<Bytes> before;
  std::vector<Bytes> after;

  std::uint64_t line() const { return run.value_or(number); }  // of the record, at which it ran
};

/// A tensor as a phase one was given it.
struct TensorArgument {
  std::string name;  // "self", "tensors[1]"
  std::uint64_t handle = 0;
  aclDataType dtype = ACL_DT_UNDEFINED;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  std::vector<std::int64_t> storage;
  std::uint64_t address = 0;

  std::int64_t count() const;
  /// The bytes from its first element to its last; none for a tensor without elements or memory.
  std::optional<Bytes> extent() const;
  /// Where the elements lie, row-major, in elements from the first byte of the extent.
  std::vector<std::int64_t> places() const;
};

/// A dtype's name, or its number where it has none. Throws IoError.
aclDataType dtype_of(const Json& json);
/// Reads a tensor. Throws IoError for what is none.
TensorArgument tensor_of(const Json& json, const std::string& name);
/// Addresses and handles are strings "0x7f..."; null is 0. Throws IoError.
std::uint64_t address_of(const Json& json);
/// An argument of a call by its name; throws IoError where it is missing.
const Json& argument(const Call& call, const char* name);
/// All tensors among the arguments, those of lists too.
std::vector<TensorArgument> tensors_of(const Call& call);

class Record {
 public:
  /// Throws IoError, naming the line, for a folder that holds no record or a line that is none. A
  /// last line without its end is left out, as of a process that was killed.
  explicit Record(const std::string& folder);
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  const std::string& folder() const { return folder_; }
  const std::string& program() const { return program_; }
  const std::vector<Call>& calls() const { return calls_; }
  bool is_torn() const { return is_torn_; }

  /// Empty where it is not kept.
  Content content(const Bytes& bytes) const;

 private:
  void read_line(const std::string& line, std::uint64_t number);
  void check(const Bytes& bytes) const;

  std::string folder_;
  std::string program_;
  std::vector<Call> calls_;
  bool is_torn_ = false;
  struct Unmap {
    std::size_t size;
    void operator()(const std::byte* contents) const;
  };
  std::unique_ptr<const std::byte, Unmap> contents_;
  std::size_t size_ = 0;
};

/// What `work` returns; what it finds missing or of another kind in a call is an IoError that names
/// the call.
template <class Work>
auto reading(const Call& call, const Work& work) {
  try {
    return work();
  } catch (const nlohmann::json::exception& error) {
    throw IoError("call " + std::to_string(call.number) + ", " + call.function + ": " +
                  error.what());
  }
}

/// "aclnnAdd" of "aclnnAddGetWorkspaceSize"; "" for another function.
std::string planned_operator(const std::string& function);

}  // namespace aclgrad::replay
