// SPDX-License-Identifier: Apache-2.0
#include "train/record/run_header.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <utility>

#include "aclgrad/error.h"
#include "aclgrad/format.h"
#include "aclgrad/runtime.h"
#include "io/safetensors_format.h"
#include "tensor/sha256.h"

#if defined(__linux__) && __has_include(<link.h>)
#include <link.h>
#define ACLGRAD_HAS_BUILD_IDS 1
#endif

extern char** environ;  // NOLINT: no header declares it everywhere

namespace aclgrad::detail {
namespace {

std::string text_of_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "AMD EPYC-Milan Processor (avx2)", or what the system calls such processors.
std::string processor() {
  std::istringstream lines(text_of_file("/proc/cpuinfo"));
  std::string model, extensions;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    if (model.empty() && line.starts_with("model name")) model = line.substr(colon + 2);
    if (!line.starts_with("flags") && !line.starts_with("Features")) continue;
    const std::string flags = line.substr(colon + 1) + " ";
    for (const char* flag : {"avx2", "avx512f", "avx512_bf16", "amx_bf16", "asimd", "sve"}) {
      if (flags.find(fmt::format(" {} ", flag)) == flags.npos) continue;
      extensions += extensions.empty() ? flag : fmt::format(" {}", flag);
    }
    break;
  }
  utsname system = {};
  if (model.empty()) model = ::uname(&system) == 0 ? system.machine : "unknown";
  return extensions.empty() ? model : fmt::format("{} ({})", model, extensions);
}

#ifdef ACLGRAD_HAS_BUILD_IDS

// What the linker wrote into a file to tell its builds apart; empty where it did not.
std::string build_id(const dl_phdr_info& info) {
  for (const ElfW(Phdr)* part = info.dlpi_phdr; part != info.dlpi_phdr + info.dlpi_phnum; ++part) {
    if (part->p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(info.dlpi_addr + part->p_vaddr);
    const auto* const end = at + part->p_memsz;
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      const auto* const name = at + sizeof(note);
      const auto* const content = name + (note.n_namesz + 3) / 4 * 4;
      at = content + (note.n_descsz + 3) / 4 * 4;
      if (at > end) break;
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4) continue;
      if (std::memcmp(name, "GNU", 4) != 0) continue;
      std::string text;
      for (std::size_t i = 0; i < note.n_descsz; ++i) text += fmt::format("{:02x}", content[i]);
      return text;
    }
  }
  return "";
}

RunJson builds() {
  std::map<std::string, std::string> found;
  const auto add = [](dl_phdr_info* info, std::size_t, void* to) {
    const std::string name = std::filesystem::path(info->dlpi_name).filename().string();
    constexpr std::array<std::string_view, 5> kOurs = {"libaclgrad", "libascendcl", "libhccl",
                                                       "libnnopbase", "libopapi"};
    const bool is_ours = name.empty() || std::ranges::any_of(kOurs, [&](std::string_view ours) {
                           return name.starts_with(ours);
                         });
    const std::string id = is_ours ? build_id(*info) : "";
    auto& builds = *static_cast<std::map<std::string, std::string>*>(to);
    if (!id.empty()) builds.emplace(name.empty() ? "program" : name, id);
    return 0;
  };
  ::dl_iterate_phdr(add, &found);
  return found;
}

#else
RunJson builds() { return RunJson::object(); }
#endif

std::string_view dtype_name(DType dtype) {
  const auto found = std::ranges::find(kSafetensorsDTypes, dtype, &SafetensorsDType::dtype);
  if (found != kSafetensorsDTypes.end()) return found->name;
  throw DTypeError("a record of a run has no name for dtype " + to_string(dtype));
}

}  // namespace

RunJson made_by() {
  RunJson made;
  made["aclgrad"] = ACLGRAD_VERSION;
  made["compiler"] = __VERSION__;
  made["processor"] = processor();
  made["threads"] = num_threads();
  made["builds"] = builds();
  return made;
}

bool matters_to_runs(std::string_view variable) {
  constexpr std::string_view kOfTheVerifier = "ACLGRAD_VERIFY";
  return (variable.starts_with("ACLGRAD_") && variable != kOfTheVerifier) ||
         variable == "OMP_NUM_THREADS" || variable == "LD_LIBRARY_PATH" || variable == "LD_PRELOAD";
}

RunJson this_program() {
  RunJson command = RunJson::array(), environment = RunJson::object();
  std::istringstream words(text_of_file("/proc/self/cmdline"));
  for (std::string word; std::getline(words, word, '\0');) command.push_back(word);
  std::error_code error;
  // A name without a path was searched for; the file itself is what ran.
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && !command.empty()) command[0] = file.string();
  const std::filesystem::path folder = std::filesystem::current_path(error);
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view word = *at;
    const std::size_t equals = word.find('=');
    if (equals == word.npos || !matters_to_runs(word.substr(0, equals))) continue;
    environment[std::string(word.substr(0, equals))] = word.substr(equals + 1);
  }
  RunJson program;
  program["command"] = std::move(command);
  program["folder"] = error ? "" : folder.string();
  program["environment"] = std::move(environment);
  return program;
}

RunJson hash_of(const Tensor& tensor) {
  return {dtype_name(tensor.dtype()), tensor.shape().dims(),
          sha256({tensor.bytes(), tensor.nbytes()})};
}

RunJson hash_of(const NamedTensors& tensors) {
  std::map<std::string_view, const Tensor*> sorted;
  for (const auto& [name, tensor] : tensors) sorted.emplace(name, &tensor);
  RunJson all = RunJson::object();
  Sha256 whole;
  for (const auto& [name, tensor] : sorted) {
    RunJson one = hash_of(*tensor);
    whole.add(fmt::format("{} {} {} {}\n", one[2].get_ref<const std::string&>(),
                          dtype_name(tensor->dtype()), tensor->shape(), name));
    all[std::string(name)] = std::move(one);
  }
  RunJson hashes;
  hashes["sha256"] = whole.text();
  hashes["tensors"] = std::move(all);
  return hashes;
}

RunJson hash_of(const data::Dataset& examples) {
  RunJson hashes = RunJson::object();
  for (const auto& [name, tensor] : examples.tensors()) hashes[name] = hash_of(*tensor);
  return hashes;
}

}  // namespace aclgrad::detail
