// SPDX-License-Identifier: Apache-2.0
#include "ops/record/objects.h"

#include <cstring>
#include <mutex>
#include <unordered_map>

#include "aclgrad_common/dtypes.h"
#include "aclgrad_common/extent.h"

namespace aclgrad::record {
namespace {

struct Known {
  std::mutex mutex;
  std::unordered_map<const void*, Object> objects;
  std::unordered_map<const void*, std::shared_ptr<const Planned>> executors;
};

Known& known() {
  static Known* const instance = new Known;
  return *instance;
}

const Object* find(const Known& all, const void* handle) {
  const auto found = all.objects.find(handle);
  return found == all.objects.end() ? nullptr : &found->second;
}

void erase(Known& all, const void* handle) {
  const auto found = all.objects.find(handle);
  if (found == all.objects.end()) return;
  const Object object = std::move(found->second);
  all.objects.erase(found);
  if (const auto* const list = std::get_if<List>(&object)) {
    for (const void* const member : list->members) all.objects.erase(member);
  }
}

// The dtype's name, or its number where it has none.
void append_dtype(Text& text, aclDataType dtype) {
  const common::DtypeInfo* const info = common::find_dtype(dtype);
  text.key("dtype");
  if (info == nullptr) {
    text.whole(dtype);
  } else {
    text.quoted(info->name);
  }
}

template <class Value>
Value value_of(const Scalar& scalar) {
  Value value;
  std::memcpy(&value, scalar.bytes.data(), sizeof value);
  return value;
}

// The number, where it is a real one.
void append_value(Text& text, const Scalar& scalar) {
  switch (scalar.dtype) {
    case ACL_FLOAT:
      text.key("value").real(value_of<float>(scalar));
      break;
    case ACL_DOUBLE:
      text.key("value").real(value_of<double>(scalar));
      break;
    case ACL_BOOL:
      text.key("value").boolean(scalar.bytes[0] != 0);
      break;
    case ACL_INT8:
      text.key("value").whole(value_of<int8_t>(scalar));
      break;
    case ACL_INT16:
      text.key("value").whole(value_of<int16_t>(scalar));
      break;
    case ACL_INT32:
      text.key("value").whole(value_of<int32_t>(scalar));
      break;
    case ACL_INT64:
      text.key("value").whole(value_of<int64_t>(scalar));
      break;
    case ACL_UINT8:
      text.key("value").whole(value_of<uint8_t>(scalar));
      break;
    default:
      break;  // its bytes say it
  }
}

class Describe {
 public:
  Describe(const Known& all, Text& text, const void* handle, std::string name,
           std::vector<PlannedTensor>& tensors)
      : all_(all), text_(text), handle_(handle), name_(std::move(name)), tensors_(tensors) {}

  void run() {
    const Object* const object = find(all_, handle_);
    if (handle_ == nullptr) {
      text_.null();
    } else if (object == nullptr) {
      text_.open('{').key("unknown").address(handle_).close('}');
    } else {
      std::visit(*this, *object);
    }
  }

  void operator()(const Tensor& tensor) {
    text_.open('{').key("tensor").address(handle_);
    append_dtype(text_, tensor.dtype);
    text_.key("shape").array(tensor.shape).key("strides").array(tensor.strides);
    text_.key("offset").whole(tensor.offset).key("format").whole(tensor.format);
    text_.key("storage").array(tensor.storage).key("address").address(tensor.address).close('}');
    tensors_.push_back({name_, handle_, tensor});
  }
  void operator()(const Scalar& scalar) {
    text_.open('{').key("scalar").address(handle_);
    append_dtype(text_, scalar.dtype);
    append_value(text_, scalar);
    std::string bytes;
    for (size_t i = 0; i < scalar.size; ++i) {
      constexpr char kDigits[] = "0123456789abcdef";
      bytes += kDigits[scalar.bytes[i] >> 4];
      bytes += kDigits[scalar.bytes[i] & 15];
    }
    text_.key("bytes").quoted(bytes).close('}');
  }
  void operator()(const List& list) {
    text_.open('[');
    for (size_t i = 0; i < list.members.size(); ++i) {
      text_.separate();
      Describe(all_, text_, list.members[i], name_ + "[" + std::to_string(i) + "]", tensors_).run();
    }
    text_.close(']');
  }
  void operator()(const IntArray& values) { text_.array(values); }
  void operator()(const FloatArray& values) {
    text_.open('[');
    for (const float value : values) text_.separate().real(value);
    text_.close(']');
  }
  void operator()(const BoolArray& values) {
    text_.open('[');
    for (const bool value : values) text_.separate().boolean(value);
    text_.close(']');
  }

 private:
  const Known& all_;
  Text& text_;
  const void* handle_;
  std::string name_;
  std::vector<PlannedTensor>& tensors_;
};

}  // namespace

bool Tensor::extent(uintptr_t& begin, uint64_t& size) const {
  if (address == nullptr || strides.size() != shape.size()) return false;
  const auto found = common::extent_of(dtype, shape, strides, offset);
  if (!found) return false;
  begin = reinterpret_cast<uintptr_t>(address) + static_cast<uintptr_t>(found->begin);
  size = found->bytes;
  return true;
}

void object_made(const void* handle, Object object) {
  if (handle == nullptr) return;
  const std::lock_guard lock(known().mutex);
  known().objects.insert_or_assign(handle, std::move(object));
}

void object_gone(const void* handle) {
  const std::lock_guard lock(known().mutex);
  erase(known(), handle);
}

void change_tensor(const void* handle, const std::function<void(Tensor&)>& change) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().objects.find(handle);
  if (found == known().objects.end()) return;
  if (auto* const tensor = std::get_if<Tensor>(&found->second)) change(*tensor);
}

const void* member_of(const void* list, size_t index) {
  const std::lock_guard lock(known().mutex);
  const Object* const object = find(known(), list);
  const List* const members = object == nullptr ? nullptr : std::get_if<List>(object);
  return members == nullptr || index >= members->members.size() ? nullptr : members->members[index];
}

void executor_made(const void* executor, Planned planned) {
  const std::lock_guard lock(known().mutex);
  known().executors.insert_or_assign(executor, std::make_shared<const Planned>(std::move(planned)));
}

void executor_gone(const void* executor) {
  const std::lock_guard lock(known().mutex);
  known().executors.erase(executor);
}

void move_tensor(const void* executor, const void* tensor, void* address) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().executors.find(executor);
  if (found == known().executors.end()) return;
  const auto moved = std::make_shared<Planned>(*found->second);
  for (PlannedTensor& each : moved->tensors) {
    if (each.handle == tensor) each.tensor.address = address;
  }
  found->second = moved;
}

std::shared_ptr<const Planned> planned_of(const void* executor) {
  const std::lock_guard lock(known().mutex);
  const auto found = known().executors.find(executor);
  return found == known().executors.end() ? nullptr : found->second;
}

void describe(Text& text, const void* handle, const std::string& name,
              std::vector<PlannedTensor>& tensors) {
  const std::lock_guard lock(known().mutex);
  Describe(known(), text, handle, name, tensors).run();
}

}  // namespace aclgrad::record
