// SPDX-License-Identifier: Apache-2.0
#include "gradcheck/tool/header/trial.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "gradcheck/tool/processes.h"

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

// What each parameter gets: what its memory holds, or one number.
using Arguments = std::vector<std::vector<double>>;

struct Result {
  Arguments after;                    // empty for numbers
  std::optional<std::size_t> beyond;  // the array at whose end it was stopped
};

// Throws where the call ends in another way.
Result try_call(const ForeignFunction& function, const Arguments& arguments, double seconds) {
  const std::vector<CParameter>& parameters = function.prototype().parameters;
  std::vector<std::unique_ptr<Fenced>> memory(parameters.size());
  std::vector<CArgument> passed;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const CType& type = parameters[k].type;
    if (type.is_pointer) {
      const std::vector<double>& values = arguments[k];
      memory[k] = std::make_unique<Fenced>(values.size() * static_cast<std::size_t>(type.bytes));
      for (std::size_t i = 0; i < values.size(); ++i) set(memory[k]->data(), type, i, values[i]);
      passed.emplace_back(static_cast<void*>(memory[k]->data()));
    } else if (type.kind == CType::Kind::kFloating) {
      passed.emplace_back(arguments[k].front());
    } else {
      passed.emplace_back(static_cast<std::int64_t>(arguments[k].front()));
    }
  }
  const Fenced left(sizeof(Trace));
  trace = new (left.data()) Trace{};
  Result result;
  {
    Process process([&] { call_there(function, passed); });
    const std::optional<Ending> ended = process.wait_for(seconds);
    const int number = trace->fault_signal != 0 ? trace->fault_signal : process.signal();
    for (std::size_t k = 0; number != 0 && k < memory.size(); ++k) {
      if (memory[k] && memory[k]->is_behind(trace->fault)) result.beyond = k;
    }
    if (!result.beyond && !(ended && trace->has_returned)) {
      throw FunctionFailed(fmt::format("{} {}", function.prototype().name,
                                       !ended ? fmt::format("did not return within {:g} s", seconds)
                                       : number != 0
                                           ? fmt::format("crashed ({})", strsignal(number))
                                           : *ended));
    }
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    std::vector<double>& after = result.after.emplace_back();
    for (std::size_t i = 0; memory[k] && i < arguments[k].size(); ++i) {
      after.push_back(get(memory[k]->data(), parameters[k].type, i));
    }
  }
  return result;
}

// Several draws of what the arrays hold, since where a function reads and writes may depend on it.
class Trials {
 public:
  Trials(const ForeignFunction& function, const Numbers& numbers, const Description& description,
         double seconds)
      : function_(function), description_(description), seconds_(seconds) {
    const std::size_t count = parameters().size();
    reach_ = {numbers, std::vector<std::size_t>(count), std::vector<bool>(count),
              std::vector<bool>(count), std::vector<bool>(count)};
  }

  Reach run() {
    constexpr int kDraws = 8;
    constexpr int kDrawsOfUses = 4;
    for (std::size_t k = 0; k < parameters().size(); ++k) {
      if (is_said(k))
        reach_.elements[k] = static_cast<std::size_t>(reach_.numbers.at(parameters()[k].name));
    }
    for (int draw = 0; draw < kDraws; ++draw) measure(draw);
    for (int draw = 0; draw < kDrawsOfUses; ++draw) find_uses(draw);
    return std::move(reach_);
  }

 private:
  const std::vector<CParameter>& parameters() const { return function_.prototype().parameters; }

  bool is_said(std::size_t k) const {
    return parameters()[k].type.is_pointer && reach_.numbers.contains(parameters()[k].name);
  }

  Arguments arguments(int draw, const std::vector<std::size_t>& counts) const {
    Arguments all;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const CParameter& parameter = parameters()[k];
      all.push_back(parameter.type.is_pointer ? drawn(k, draw, counts[k])
                                              : std::vector{reach_.numbers.at(parameter.name)});
    }
    return all;
  }

  // A sequence that is dense in the range, another one for every array and draw. The first draw of
  // whole numbers is of the largest: an index reaches as far as it can.
  std::vector<double> drawn(std::size_t k, int draw, std::size_t count) const {
    const CType& type = parameters()[k].type;
    const auto [low, high, below, above] = description_.range(parameters()[k]);
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      const double seed = 0.37 * static_cast<double>(k) + 0.29 * draw;
      const double unit = std::fmod(seed + 0.6180339887498949 * static_cast<double>(i + 1), 1.0);
      const double even = low + unit * (high - low);
      values.push_back(type.kind == CType::Kind::kWhole
                           ? (draw == 0 ? high : std::floor(low + unit * (high - low + 1)))
                       : type.bytes == 4 ? static_cast<double>(static_cast<float>(even))
                                         : even);
    }
    return values;
  }

  void measure(int draw) {
    constexpr std::size_t kMost = 1 << 14;
    const std::vector<std::size_t> before = reach_.elements;
    std::vector<std::size_t> counts = before;
    const auto beyond = [&] {
      return try_call(function_, arguments(draw, counts), seconds_).beyond;
    };
    if (!beyond()) return;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (parameters()[k].type.is_pointer && !is_said(k)) counts[k] = kMost;
    }
    if (const auto k = beyond()) {
      throw FunctionFailed(fmt::format("{} goes on beyond {} elements of `{}`",
                                       function_.prototype().name, counts[*k],
                                       parameters()[*k].name));
    }
    for (std::size_t k = 0; k < counts.size(); ++k) {
      std::size_t enough = counts[k];
      if (enough == before[k]) continue;
      for (std::size_t too_few = before[k]; enough > too_few;) {
        counts[k] = (enough + too_few) / 2;
        if (beyond()) {
          too_few = counts[k] + 1;
        } else {
          enough = counts[k];
        }
      }
      counts[k] = enough;
      if (draw > 0 && enough > before[k]) reach_.by_values[k] = true;
    }
    reach_.elements = counts;
  }

  void find_uses(int draw) {
    const auto differs = [](double a, double b) {
      return a != b && !(std::isnan(a) && std::isnan(b));
    };
    const Arguments before = arguments(draw, reach_.elements);
    const Result first = try_call(function_, before, seconds_);
    for (std::size_t k = 0; k < before.size(); ++k) {
      if (first.after[k].empty() ||
          std::ranges::equal(before[k], first.after[k], std::not_fn(differs)))
        continue;
      reach_.is_written[k] = true;
      // What was in it matters where other numbers change what is written, here or elsewhere.
      Arguments other = before;
      for (double& value : other[k]) value += 2;
      const Result second = try_call(function_, other, seconds_);
      for (std::size_t j = 0; j < before.size(); ++j) {
        for (std::size_t i = 0; i < first.after[j].size(); ++i) {
          const bool was_left =
              j == k && first.after[k][i] == before[k][i] && second.after[k][i] == other[k][i];
          if (!was_left && differs(first.after[j][i], second.after[j][i])) reach_.is_read[k] = true;
        }
      }
    }
  }

  const ForeignFunction& function_;
  const Description& description_;
  double seconds_;
  Reach reach_;
};

}  // namespace

Reach reach_of(const ForeignFunction& function, const Numbers& numbers,
               const Description& description, double seconds) {
  return Trials(function, numbers, description, seconds).run();
}

}  // namespace aclgrad::gradcheck
