// SPDX-License-Identifier: Apache-2.0
#include "replay/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include "aclgrad_common/dtypes.h"
#include "aclgrad_common/extent.h"

namespace aclgrad::replay {
namespace {

constexpr int kFormat = 1;
constexpr std::size_t kMaxRank = 25;  // that aclCreateTensor takes

std::vector<Bytes> bytes_of(const Json& line, const char* when) {
  std::vector<Bytes> all;
  const auto found = line.find(when);
  if (found == line.end()) return all;
  for (const auto& [name, json] : found->items()) {
    Bytes bytes{name, address_of(json.at("at")), whole<std::uint64_t>(json.at("bytes")), {}};
    if (!json.at("content").is_null()) bytes.content = whole<std::uint64_t>(json.at("content"));
    if (json.contains("hash")) bytes.hash = json.at("hash").get<std::string>();
    all.push_back(std::move(bytes));
  }
  return all;
}

void add_tensors(const Json& json, const std::string& name, std::vector<TensorArgument>& all) {
  if (json.is_object() && json.contains("tensor")) all.push_back(tensor_of(json, name));
  if (!json.is_array()) return;
  for (std::size_t i = 0; i < json.size(); ++i) {
    add_tensors(json[i], fmt::format("{}[{}]", name, i), all);
  }
}

}  // namespace

bool are_other(const Bytes& a, const Bytes& b) {
  if (a.content && b.content) return *a.content != *b.content;
  return are_other_hashes(a.hash, b.hash);
}

bool are_other_hashes(const std::string& a, const std::string& b) {
  return !a.empty() && !b.empty() && a != b;
}

aclDataType dtype_of(const Json& json) {
  if (json.is_number_integer()) return static_cast<aclDataType>(whole<int>(json));
  const auto& name = json.get_ref<const std::string&>();
  for (const common::DtypeInfo& info : common::kDtypes) {
    if (name == info.name) return info.dtype;
  }
  throw IoError(fmt::format("there is no dtype \"{}\"", name));
}

std::uint64_t address_of(const Json& json) {
  if (json.is_null()) return 0;
  const auto& text = json.get_ref<const std::string&>();
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const bool has_prefix = text.starts_with("0x");
  const auto [stop, error] = std::from_chars(text.data() + (has_prefix ? 2 : 0), end, value, 16);
  if (!has_prefix || error != std::errc() || stop != end) {
    throw IoError(fmt::format("\"{}\" is no address", text));
  }
  return value;
}

const Json& argument(const Call& call, const char* name) {
  const auto found = call.arguments.find(name);
  if (found == call.arguments.end()) {
    throw IoError(fmt::format("call {}, {}, has no argument {}", call.number, call.function, name));
  }
  return *found;
}

std::vector<std::int64_t> wholes(const Json& json) {
  std::vector<std::int64_t> all;
  for (const Json& each : json) all.push_back(whole<std::int64_t>(each));
  return all;
}

TensorArgument tensor_of(const Json& json, const std::string& name) {
  TensorArgument tensor;
  tensor.name = name;
  tensor.handle = address_of(json.at("tensor"));
  tensor.dtype = dtype_of(json.at("dtype"));
  tensor.shape = wholes(json.at("shape"));
  tensor.strides = wholes(json.at("strides"));
  tensor.offset = whole<std::int64_t>(json.at("offset"));
  tensor.format = static_cast<aclFormat>(whole<int>(json.at("format")));
  tensor.storage = wholes(json.at("storage"));
  tensor.address = address_of(json.at("address"));
  if (tensor.shape.size() != tensor.strides.size() || tensor.shape.size() > kMaxRank ||
      tensor.storage.size() > kMaxRank) {
    throw IoError(fmt::format("{} has {} dimensions and {} strides", name, tensor.shape.size(),
                              tensor.strides.size()));
  }
  return tensor;
}

std::vector<TensorArgument> tensors_of(const Call& call) {
  std::vector<TensorArgument> all;
  for (const auto& [name, json] : call.arguments.items()) add_tensors(json, name, all);
  return all;
}

std::int64_t TensorArgument::count() const {
  __int128 count = 1;
  for (const std::int64_t extent : shape) {
    count *= std::max<std::int64_t>(extent, 0);
    if (count > INT64_MAX) return INT64_MAX;
  }
  return static_cast<std::int64_t>(count);
}

std::optional<Bytes> TensorArgument::extent() const {
  if (address == 0) return std::nullopt;
  const auto found = common::extent_of(dtype, shape, strides, offset);
  if (!found) return std::nullopt;
  return Bytes{name, address + static_cast<std::uint64_t>(found->begin), found->bytes,
               std::nullopt};
}

std::vector<std::int64_t> TensorArgument::places() const {
  const std::int64_t elements = count();
  std::int64_t first = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (strides[i] < 0) first -= (shape[i] - 1) * strides[i];
  }
  std::vector<std::int64_t> all(static_cast<std::size_t>(elements));
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t place = first;
  for (std::int64_t& each : all) {
    each = place;
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += strides[d];
      if (++index[d] < shape[d]) break;
      place -= index[d] * strides[d];
      index[d] = 0;
    }
  }
  return all;
}

std::string planned_operator(const std::string& function) {
  constexpr std::string_view kPhaseOne = "GetWorkspaceSize";
  if (!function.starts_with("aclnn") || !function.ends_with(kPhaseOne)) return "";
  return function.substr(0, function.size() - kPhaseOne.size());
}

Record::Record(const std::string& folder) : folder_(folder) {
  const std::string path = folder + "/calls.jsonl";
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw IoError(path + ": cannot be read; a record is a folder that ACLGRAD_RECORD made");
  const int contents = open((folder + "/contents.bin").c_str(), O_RDONLY | O_CLOEXEC);
  if (contents < 0) {
    throw IoError(fmt::format("{}/contents.bin: {}", folder, std::strerror(errno)));
  }
  struct stat facts = {};
  if (fstat(contents, &facts) == 0 && facts.st_size > 0) {
    size_ = static_cast<std::size_t>(facts.st_size);
    void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, contents, 0);
    if (mapped != MAP_FAILED) contents_ = {static_cast<const std::byte*>(mapped), Unmap{size_}};
  }
  close(contents);
  if (size_ > 0 && contents_ == nullptr) throw IoError(folder + "/contents.bin: cannot be mapped");
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line); ++number) {
    if (file.eof()) {
      is_torn_ = true;
      break;
    }
    try {
      read_line(line, number);
    } catch (const std::exception& error) {
      throw IoError(fmt::format("{}: line {}: {}", path, number + 1, error.what()));
    }
  }
  if (number == 0) throw IoError(path + ": has no whole line");
}

void Record::Unmap::operator()(const std::byte* contents) const {
  munmap(const_cast<std::byte*>(contents), size);
}

void Record::check(const Bytes& bytes) const {
  if (bytes.size > UINT64_MAX - bytes.at) {
    throw IoError(bytes.name + " ends beyond the last address");
  }
  if (bytes.content && (*bytes.content > size_ || bytes.size > size_ - *bytes.content)) {
    throw IoError(
        fmt::format("the bytes of {} end beyond contents.bin, which has {}", bytes.name, size_));
  }
}

void Record::read_line(const std::string& line, std::uint64_t number) {
  const Json json = Json::parse(line);
  if (number == 0) {
    if (!json.is_object() || json.value("record", Json()) != kFormat) {
      throw IoError(fmt::format("this is no record of format {}", kFormat));
    }
    program_ = json.value("program", "");
    return;
  }
  Call call;
  call.number = whole<std::uint64_t>(json.at("n"));
  if (call.number != calls_.size()) {
    throw IoError(fmt::format("its number is {}, expected {}", call.number, calls_.size()));
  }
  call.function = json.at("call").get<std::string>();
  call.thread = whole<std::int64_t>(json.at("thread"));
  call.arguments = json.at("arguments");
  if (!call.arguments.is_object()) throw IoError("its arguments have no names");
  call.status = json.contains("status") ? whole<std::int64_t>(json.at("status")) : 0;
  if (json.contains("plan")) {
    call.plan = whole<std::uint64_t>(json.at("plan"));
    if (*call.plan >= calls_.size() || planned_operator(calls_[*call.plan].function).empty()) {
      throw IoError(fmt::format("call {} is no phase one before it", *call.plan));
    }
  }
  call.is_captured = json.contains("recording");
  if (call.is_captured) call.recording = address_of(json.at("recording"));
  if (json.contains("product")) call.product = json.at("product").get<std::string>();
  call.before = bytes_of(json, "before");
  call.after = bytes_of(json, "after");
  for (const auto* all : {&call.before, &call.after}) {
    for (const Bytes& each : *all) check(each);
  }
  calls_.push_back(std::move(call));
}

Content Record::content(const Bytes& bytes) const {
  if (!bytes.content) return {};
  return {contents_.get() + *bytes.content, bytes.size};
}

}  // namespace aclgrad::replay
