// SPDX-License-Identifier: Apache-2.0
// A C program that makes one recorded call alone, with its data in a file.
#include <fmt/format.h>

#include <algorithm>

#include "aclgrad_contract/numbers.h"
#include "gradcheck/tool/run.h"
#include "replay/replay.h"

namespace aclgrad::replay {
namespace {

// Tensors whose memory overlaps share a stretch of it.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::vector<Stretch> stretches_of(const Task& task) {
  std::vector<Stretch> all;
  for (const TensorArgument& tensor : task.tensors) {
    const auto extent = tensor.extent();
    if (extent) all.push_back({std::min(tensor.address, extent->at), extent->end()});
  }
  std::ranges::sort(all, {}, &Stretch::begin);
  std::vector<Stretch> joined;
  for (const Stretch& each : all) {
    if (!joined.empty() && each.begin < joined.back().end) {
      joined.back().end = std::max(joined.back().end, each.end);
    } else {
      joined.push_back(each);
    }
  }
  return joined;
}

std::string variable(std::string name) {
  std::ranges::replace(name, '[', '_');
  std::erase(name, ']');
  return name;
}

std::string array_literal(const std::string& type, const std::vector<std::string>& values) {
  return fmt::format("({}[]){{{}}}", type,
                     values.empty() ? "0" : fmt::format("{}", fmt::join(values, ", ")));
}

std::string whole_numbers(const std::vector<std::int64_t>& values) {
  std::vector<std::string> texts;
  for (const std::int64_t each : values) texts.push_back(std::to_string(each));
  return array_literal("int64_t", texts);
}

class Program {
 public:
  Program(const Task& task, const Finding& finding, std::string data)
      : task_(task), finding_(finding), data_(std::move(data)), stretches_(stretches_of(task)) {}

  std::string text(const Record& record) {
    const std::string& name = task_.op->name();
    for (const auto& [argument, json] : task_.plan->arguments.items()) {
      if (given_.size() == task_.op->call.types.size()) break;
      given_.push_back(value(task_.op->call.types[given_.size()], argument, json));
    }
    std::string text = fmt::format(
        "/* Call {} of {}: {} alone.\n * {}\n * cc CALL.c -I include -L lib -lopapi -lnnopbase "
        "-lascendcl */\n"
        "#include <stdio.h>\n#include <stdlib.h>\n\n#include \"acl/acl.h\"\n#include "
        "\"aclnn/aclnn_base.h\"\n\n"
        "aclnnStatus {}GetWorkspaceSize({}, uint64_t*, aclOpExecutor**);\n"
        "aclnnStatus {}(void*, uint64_t, aclOpExecutor*, aclrtStream);\n\n"
        "/* Memory of the device with the next bytes of the file. */\n"
        "static char* memory(FILE* data, size_t size) {{\n"
        "  void *host = malloc(size), *device = NULL;\n"
        "  if (fread(host, 1, size, data) != size || aclrtMalloc(&device, size, 0)) exit(2);\n"
        "  aclrtMemcpy(device, size, host, size, ACL_MEMCPY_HOST_TO_DEVICE);\n"
        "  free(host);\n  return device;\n}}\n\n"
        "int main(void) {{\n  FILE* data = fopen(\"{}\", \"rb\");\n  aclInit(NULL);\n  "
        "aclrtSetDevice(0);\n"
        "  aclrtStream stream = NULL;\n  aclrtCreateStream(&stream);\n",
        finding_.number, record.folder(), name, finding_.text, name,
        fmt::join(task_.op->call.types, ", "), name, data_);
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      text += fmt::format("  char* memory{} = memory(data, {});\n", i,
                          stretches_[i].end - stretches_[i].begin);
    }
    text += lines_;
    text += fmt::format(
        "  uint64_t size = 0;\n  aclOpExecutor* executor = NULL;\n  void* workspace = NULL;\n"
        "  int status = {}GetWorkspaceSize({}, &size, &executor);\n"
        "  if (status == 0 && size > 0) aclrtMalloc(&workspace, size, 0);\n"
        "  if (status == 0) status = {}(workspace, size, executor, stream);\n"
        "  if (status == 0) status = aclrtSynchronizeStream(stream);\n"
        "  printf(\"status %d\\n\", status);\n{}  return status != 0;\n}}\n",
        name, fmt::join(given_, ", "), name, printed());
    return text;
  }

  std::string content() const {
    std::string all;
    for (const Stretch& each : stretches_) {
      std::string bytes(each.end - each.begin, '\0');
      for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
        const auto extent = task_.tensors[i].extent();
        if (!extent || extent->at < each.begin || extent->end() > each.end ||
            i >= task_.before.size())
          continue;
        std::ranges::transform(task_.before[i],
                               bytes.begin() + static_cast<std::ptrdiff_t>(extent->at - each.begin),
                               [](std::byte value) { return static_cast<char>(value); });
      }
      all += bytes;
    }
    return all;
  }

 private:
  std::string value(const std::string& type, const std::string& name, const Json& json) {
    if (json.is_null()) return "NULL";
    const std::string is = variable(name);
    if (type.ends_with("aclTensor*")) return tensor(name);
    if (type.ends_with("List*")) {
      std::vector<std::string> members;
      for (std::size_t i = 0; i < json.size(); ++i) {
        const std::string member = fmt::format("{}[{}]", name, i);
        members.push_back(type.ends_with("aclTensorList*") ? tensor(member)
                                                           : scalar(variable(member), json[i]));
      }
      const std::string of = type.ends_with("aclTensorList*") ? "Tensor" : "Scalar";
      lines_ += fmt::format("  acl{0}List* {1} = aclCreate{0}List({2}, {3});\n", of, is,
                            array_literal("const acl" + of + "*", members), members.size());
      return is;
    }
    if (type.ends_with("aclScalar*")) return scalar(is, json);
    if (type.ends_with("aclIntArray*") || type.ends_with("aclBoolArray*")) {
      const bool is_bool = type.ends_with("aclBoolArray*");
      std::vector<std::string> values;
      for (const Json& each : json) values.push_back(each.dump());
      lines_ += fmt::format("  acl{0}Array* {1} = aclCreate{0}Array({2}, {3});\n",
                            is_bool ? "Bool" : "Int", is,
                            array_literal(is_bool ? "bool" : "int64_t", values), values.size());
      return is;
    }
    if (!json.is_string()) return json.dump();
    if (type.ends_with("char*")) return fmt::format("(char*){}", json.dump());
    return json == "nan" ? "0.0 / 0.0" : json == "inf" ? "1.0 / 0.0" : "-1.0 / 0.0";
  }

  std::string scalar(const std::string& is, const Json& json) {
    const auto& digits = json.at("bytes").get_ref<const std::string&>();
    std::vector<std::string> bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
      bytes.push_back("0x" + digits.substr(i, 2));
    const Json& dtype = json.at("dtype");
    lines_ += fmt::format("  aclScalar* {} = aclCreateScalar({}, {}{});  /* {} */\n", is,
                          array_literal("unsigned char", bytes), dtype.is_string() ? "ACL_" : "",
                          dtype.is_string() ? dtype.get<std::string>() : dtype.dump(),
                          json.contains("value") ? json.at("value").dump() : "no real number");
    return is;
  }

  std::string tensor(const std::string& name) {
    const auto found = std::ranges::find(task_.tensors, name, &TensorArgument::name);
    if (found == task_.tensors.end()) return "NULL";
    const TensorArgument& t = *found;
    lines_ += fmt::format(
        "  aclTensor* {} =\n      aclCreateTensor({}, {}, {}, {}, {}, {}, {}, {}, {});\n",
        variable(name), whole_numbers(t.shape), t.shape.size(), static_cast<int>(t.dtype),
        whole_numbers(t.strides), t.offset, static_cast<int>(t.format), whole_numbers(t.storage),
        t.storage.size(), address(t));
    return variable(name);
  }

  std::string address(const TensorArgument& tensor) const {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      if (tensor.address < stretches_[i].begin || tensor.address >= stretches_[i].end) continue;
      return fmt::format("memory{} + {}", i, tensor.address - stretches_[i].begin);
    }
    return "NULL";
  }

  // The element in question, as its bytes: every dtype has some.
  std::string printed() const {
    if (!finding_.element) return "";
    const auto tensor =
        std::ranges::find(task_.tensors, finding_.element->tensor, &TensorArgument::name);
    const auto extent = tensor->extent();
    const std::uint64_t bytes = contract::bytes_of(tensor->dtype);
    const auto place = static_cast<std::uint64_t>(
        tensor->places()[static_cast<std::size_t>(finding_.element->index)]);
    const char* const type = tensor->dtype == ACL_FLOAT    ? "float"
                             : tensor->dtype == ACL_DOUBLE ? "double"
                             : bytes == 1                  ? "signed char"
                             : bytes == 2                  ? "unsigned short"
                             : bytes == 4                  ? "int"
                                                           : "long long";
    const char* const format = tensor->dtype == ACL_FLOAT || tensor->dtype == ACL_DOUBLE ? "%.9g"
                               : bytes == 2 ? "bits 0x%04x"
                               : bytes == 8 ? "%lld"
                                            : "%d";
    TensorArgument at = *tensor;
    at.address = extent->at + place * bytes;
    return fmt::format(
        "  {} element;\n  aclrtMemcpy(&element, {}, {}, {}, ACL_MEMCPY_DEVICE_TO_HOST);\n"
        "  printf(\"element {} of {} is {}, recorded {:.9g}, expected {:.9g}\\n\", element);\n",
        type, bytes, address(at), bytes, finding_.element->index, finding_.element->tensor, format,
        finding_.element->got, finding_.element->expected);
  }

  const Task& task_;
  const Finding& finding_;
  std::string data_;
  std::vector<Stretch> stretches_;
  std::vector<std::string> given_;  // to phase one
  std::string lines_;
};

}  // namespace

void write_program(const std::string& path, const Record& record, const Task& task,
                   const Finding& finding) {
  const std::string data = path.substr(0, path.rfind('.')) + ".bin";
  Program program(task, finding, data);
  gradcheck::write_file(path, program.text(record));
  gradcheck::write_file(data, program.content());
}

}  // namespace aclgrad::replay
