// SPDX-License-Identifier: Apache-2.0
#include "tool/header/trial.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <memory>

#include "tool/processes.h"

namespace aclgrad::gradcheck {
namespace {

constexpr const char* kNoMemory = "there is no memory for a call to try";

// Memory that both processes see, between pages that neither may touch; it ends where the second of
// them begins.
class Fenced {
 public:
  explicit Fenced(std::size_t bytes) : bytes_(bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    // In front, more than one: what counts down passes by the next array otherwise.
    const std::size_t inner = (bytes + page - 1) / page * page;
    whole_ = inner + 2 * page;
    void* memory = mmap(nullptr, whole_, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail(kNoMemory);
    memory_ = static_cast<std::byte*>(memory);
    end_ = memory_ + page + inner;
    if (inner > 0 && mprotect(memory_ + page, inner, PROT_READ | PROT_WRITE) != 0) fail(kNoMemory);
  }
  ~Fenced() { munmap(memory_, whole_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  std::byte* data() const { return end_ - bytes_; }
  bool is_behind(const void* address) const {
    return address >= end_ && address < memory_ + whole_;
  }

 private:
  std::size_t bytes_;
  std::size_t whole_;
  std::byte* memory_;
  std::byte* end_;
};

double get(const std::byte* memory, const CType& type, std::size_t i) {
  const auto load = [&](auto sample) {
    std::memcpy(&sample, memory + i * sizeof(sample), sizeof(sample));
    return static_cast<double>(sample);
  };
  if (type.kind == CType::Kind::kFloating) return type.bytes == 4 ? load(0.0F) : load(0.0);
  return type.bytes == 8   ? load(std::int64_t{0})
         : type.bytes == 4 ? load(std::int32_t{0})
                           : load(std::int8_t{0});
}

void set(std::byte* memory, const CType& type, std::size_t i, double value) {
  const auto store = [&](auto sample) {
    std::memcpy(memory + i * sizeof(sample), &sample, sizeof(sample));
  };
  if (type.kind == CType::Kind::kFloating) {
    type.bytes == 4 ? store(static_cast<float>(value)) : store(value);
  } else {
    type.bytes == 8   ? store(static_cast<std::int64_t>(value))
    : type.bytes == 4 ? store(static_cast<std::int32_t>(value))
                      : store(static_cast<std::int8_t>(value));
  }
}

// What the process that calls leaves behind.
struct Trace {
  double returned;
  bool has_returned;
  void* fault;
  int fault_signal;
};
Trace* trace = nullptr;

extern "C" void note_fault(int number, siginfo_t* info, void*) {
  trace->fault = info->si_addr;
  trace->fault_signal = number;
  _exit(1);
}

// In the process that calls.
void call_there(const ForeignFunction& function, const std::vector<CArgument>& arguments) {
  struct sigaction action = {};
  action.sa_sigaction = note_fault;
  action.sa_flags = SA_SIGINFO;
  for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
  trace->returned = function(arguments);
  trace->has_returned = true;
  _exit(0);
}

}  // namespace

TrialResult try_call(const ForeignFunction& function, const std::vector<TrialArgument>& arguments,
                     double seconds) {
  const std::vector<CParameter>& parameters = function.prototype().parameters;
  std::vector<std::unique_ptr<Fenced>> memory(parameters.size());
  std::vector<CArgument> passed;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const CType& type = parameters[k].type;
    const std::vector<double>& values = arguments[k].values;
    if (type.is_pointer) {
      memory[k] = std::make_unique<Fenced>(values.size() * static_cast<std::size_t>(type.bytes));
      for (std::size_t i = 0; i < values.size(); ++i) set(memory[k]->data(), type, i, values[i]);
      passed.emplace_back(static_cast<void*>(memory[k]->data()));
    } else if (type.kind == CType::Kind::kFloating) {
      passed.emplace_back(values.front());
    } else {
      passed.emplace_back(static_cast<std::int64_t>(values.front()));
    }
  }
  const Fenced left(sizeof(Trace));
  trace = new (left.data()) Trace{};
  TrialResult result;
  {
    Process process([&] { call_there(function, passed); });
    const std::optional<Ending> ended = process.wait_for(seconds);
    const int number = trace->fault_signal != 0 ? trace->fault_signal : process.signal();
    for (std::size_t k = 0; number != 0 && k < memory.size(); ++k) {
      if (memory[k] && memory[k]->is_behind(trace->fault)) result.beyond = k;
    }
    if (!ended) {
      result.failure = fmt::format("did not return within {:g} s", seconds);
    } else if (number != 0 && !result.beyond) {
      result.failure = fmt::format("crashed ({})", strsignal(number));
    } else if (!trace->has_returned && !result.beyond) {
      result.failure = *ended;
    }
  }
  result.returned = trace->returned;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    std::vector<double>& after = result.after.emplace_back();
    for (std::size_t i = 0; memory[k] && i < arguments[k].values.size(); ++i) {
      after.push_back(get(memory[k]->data(), parameters[k].type, i));
    }
  }
  return result;
}

std::vector<std::size_t> reached_by(const ForeignFunction& function,
                                    const std::vector<TrialArgument>& arguments,
                                    const std::vector<Extent>& known, double seconds) {
  constexpr std::size_t kFirst = 1 << 10;
  constexpr std::size_t kMost = 1 << 20;
  const std::string& name = function.prototype().name;
  const std::vector<CParameter>& parameters = function.prototype().parameters;
  std::vector<std::size_t> counts;
  for (const Extent& each : known) counts.push_back(each.at_least);
  const auto run = [&] {
    std::vector<TrialArgument> sized = arguments;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const std::vector<double>& values = arguments[k].values;
      if (!parameters[k].type.is_pointer) continue;
      sized[k].values.resize(counts[k]);
      for (std::size_t i = 0; i < counts[k]; ++i) sized[k].values[i] = values[i % values.size()];
    }
    return try_call(function, sized, seconds);
  };
  if (run().is_good()) return counts;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (parameters[k].type.is_pointer && !known[k].is_said) counts[k] = std::max(counts[k], kFirst);
  }
  while (true) {
    const TrialResult result = run();
    if (!result.failure.empty()) {
      throw FunctionFailed(fmt::format("{} {}, whatever its arrays' sizes", name, result.failure));
    }
    if (!result.beyond) break;
    if (known[*result.beyond].is_said) {
      throw FunctionFailed(fmt::format("{} goes on beyond the {} elements of `{}`", name,
                                       counts[*result.beyond], parameters[*result.beyond].name));
    }
    counts[*result.beyond] *= 8;
    if (counts[*result.beyond] > kMost) {
      throw FunctionFailed(fmt::format("{} goes on beyond {} elements of `{}`", name, kMost,
                                       parameters[*result.beyond].name));
    }
  }
  for (std::size_t k = 0; k < counts.size(); ++k) {
    std::size_t too_few = known[k].at_least;  // the number that is enough lies above
    if (counts[k] == too_few) continue;
    std::size_t enough = counts[k];
    counts[k] = too_few;
    if (run().is_good()) continue;
    while (enough - too_few > 1) {
      counts[k] = (enough + too_few) / 2;
      (run().is_good() ? enough : too_few) = counts[k];
    }
    counts[k] = enough;
  }
  return counts;
}

}  // namespace aclgrad::gradcheck
