// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/foreign_call.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <bit>
#include <filesystem>
#include <utility>

#include "aclgrad/error.h"

namespace aclgrad::gradcheck {
namespace {

template <std::size_t>
using Whole = std::int64_t;
template <std::size_t>
using Floating = double;

// More arguments than a function has do no harm: who calls takes them away.
template <class Result, std::size_t... kWhole, std::size_t... kFloating>
Result call(void* address, const std::array<std::int64_t, sizeof...(kWhole)>& whole,
            const std::array<double, sizeof...(kFloating)>& floating,
            std::index_sequence<kWhole...>, std::index_sequence<kFloating...>) {
  using Function = Result (*)(Whole<kWhole>..., Floating<kFloating>...);
  return reinterpret_cast<Function>(address)(whole[kWhole]..., floating[kFloating]...);
}

template <class Result>
Result call(void* address, const std::array<std::int64_t, ForeignFunction::kMostWhole>& whole,
            const std::array<double, ForeignFunction::kMostFloating>& floating) {
  return call<Result>(address, whole, floating,
                      std::make_index_sequence<ForeignFunction::kMostWhole>(),
                      std::make_index_sequence<ForeignFunction::kMostFloating>());
}

}  // namespace

ForeignFunction::ForeignFunction(void* library, const std::string& path, Prototype prototype)
    : prototype_(std::move(prototype)), address_(dlsym(library, prototype_.name.c_str())) {
  if (address_ == nullptr) {
    throw IoError(
        fmt::format("{} has no function {} as C names it; of C++, "
                    "declare it extern \"C\", or wrap it in one "
                    "that is",
                    path, prototype_.name));
  }
  int floating = 0;
  for (const CParameter& each : prototype_.parameters) {
    floating += each.type.kind == CType::Kind::kFloating && !each.type.is_pointer ? 1 : 0;
  }
  const int whole = static_cast<int>(prototype_.parameters.size()) - floating;
  if (whole > kMostWhole || floating > kMostFloating) {
    throw ValueError(
        fmt::format("{} has {} floating numbers and {} other "
                    "parameters; at most {} and {} can be passed",
                    prototype_.name, floating, whole, kMostFloating, kMostWhole));
  }
}

double ForeignFunction::operator()(const std::vector<CArgument>& arguments) const {
  std::array<std::int64_t, kMostWhole> whole{};
  std::array<double, kMostFloating> floating{};
  std::size_t next_whole = 0;
  std::size_t next_floating = 0;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (const auto* number = std::get_if<double>(&arguments[k])) {
      // A float is in the low half of a register for doubles.
      const bool is_float = prototype_.parameters[k].type.bytes == 4;
      const auto bits = std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(*number))};
      floating[next_floating++] = is_float ? std::bit_cast<double>(bits) : *number;
    } else if (const auto* value = std::get_if<std::int64_t>(&arguments[k])) {
      whole[next_whole++] = *value;
    } else {
      whole[next_whole++] = reinterpret_cast<std::intptr_t>(std::get<void*>(arguments[k]));
    }
  }
  const CType& result = prototype_.result;
  if (result.kind == CType::Kind::kNothing) {
    call<void>(address_, whole, floating);
    return 0;
  }
  if (result.bytes == 4) return static_cast<double>(call<float>(address_, whole, floating));
  return call<double>(address_, whole, floating);
}

void* open_library(const std::string& path) {
  // Without a slash the loader would look elsewhere.
  const std::string name =
      std::filesystem::exists(path) ? std::filesystem::absolute(path).string() : path;
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw IoError(fmt::format("{} cannot be opened: {}", path, dlerror()));
  return library;
}

}  // namespace aclgrad::gradcheck
