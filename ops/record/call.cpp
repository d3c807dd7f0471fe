// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>

#include "ops/record/behind.h"
#include "ops/record/helpers.h"
#include "ops/record/pass.h"
#include "ops/record/settings.h"
#include "ops/record/state.h"
#include "ops/record/writer.h"

namespace aclgrad::record {
namespace {

thread_local bool t_is_inside = false;  // a call that is being recorded

class Inside {
 public:
  Inside() : before_(t_is_inside) { t_is_inside = true; }
  ~Inside() { t_is_inside = before_; }

 private:
  bool before_;
};

// What goes wrong in the recorder is no matter of the program that is recorded.
template <class Work>
bool carefully(const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (const std::exception& error) {
    static std::atomic<bool> is_said = false;
    if (!is_said.exchange(true)) {
      say("a call is missing: ", error.what());
    }
    return false;
  }
}

constexpr std::string_view kPhaseOne = "GetWorkspaceSize";

bool is_phase_one(std::string_view name) {
  return name.starts_with("aclnn") && name.ends_with(kPhaseOne);
}

uint64_t read_whole(const void* address, size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, address,
              std::min(bytes, sizeof value));  // little-endian, as all that have such devices
  return value;
}

void append_argument(Text& text, const Argument& argument, bool describes, bool is_set,
                     const std::string& name, std::vector<PlannedTensor>& tensors) {
  using Kind = Argument::Kind;
  switch (argument.kind) {
    case Kind::kWhole:
      text.whole(argument.whole);
      return;
    case Kind::kUnsigned:
      text.whole_unsigned(static_cast<uint64_t>(argument.whole));
      return;
    case Kind::kReal:
      text.real(argument.real);
      return;
    case Kind::kOther:
      text.quoted("a structure");
      return;
    case Kind::kText:
    case Kind::kWritable:
      if (argument.address == nullptr || (argument.kind == Kind::kWritable && !describes)) break;
      text.quoted(static_cast<const char*>(argument.address));
      return;
    case Kind::kAddressOut:
      if (argument.address == nullptr || !is_set) break;
      text.address(*static_cast<void* const*>(argument.address));
      return;
    case Kind::kWholeOut:
      if (argument.address == nullptr || !is_set) break;
      text.whole_unsigned(read_whole(argument.address, argument.bytes));
      return;
    case Kind::kAddress:
      break;
    default:
      if (!describes) break;
      describe(text, argument.address, name, tensors);
      return;
  }
  text.address(argument.address);
}

void append_arguments(Text& text, const State& state, bool describes,
                      std::vector<PlannedTensor>& tensors) {
  text.key("arguments").open('{');
  std::string_view names = state.function.parameters;
  const bool is_set = state.makes ? state.result != nullptr : state.status == 0;
  for (size_t i = 0; !names.empty(); ++i) {
    const std::string name(names.substr(0, names.find(',')));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    text.key(name);
    append_argument(text, state.arguments[i], describes, is_set, name, tensors);
  }
  text.close('}');
}

// The product whose tables the operators go by, where it is another than at the last phase one.
void append_product(Text& text) {
  static auto* const get = behind<decltype(aclrtGetSocName)>("aclrtGetSocName");
  static std::mutex mutex;
  static std::string& last = *new std::string;
  const char* const name = get == nullptr ? nullptr : get();
  const std::lock_guard lock(mutex);
  if (name == nullptr || last == name) return;
  last = name;
  text.key("product").quoted(last);
}

void write_call(State& state) {
  using std::chrono::duration_cast;
  using std::chrono::nanoseconds;
  static const auto start = state.began;
  const bool plans = is_phase_one(state.function.name);
  Planned planned;
  Text text;
  text.key("call").quoted(state.function.name).key("thread").whole(gettid());
  text.key("time").whole(duration_cast<nanoseconds>(state.began - start).count());
  text.key("took").whole(duration_cast<nanoseconds>(state.ended - state.began).count());
  append_arguments(text, state, plans, planned.tensors);
  if (plans) append_product(text);
  if (state.makes) {
    text.key("result").address(state.result);
  } else {
    text.key("status").whole(state.status);
  }
  if (state.is_phase_two && state.planned != nullptr)
    text.key("plan").whole_unsigned(state.planned->number);
  if (state.capture.is_on) text.key("recording").address(state.capture.recording);
  if (!state.before.string().empty()) text.key("before").open('{').raw(state.before).close('}');
  if (!state.after.string().empty()) text.key("after").open('{').raw(state.after).close('}');
  text.close('}');
  planned.number = write_line("," + text.string());
  if (state.capture.is_on && state.status == 0) {
    recording_grew(state.capture.recording, planned.number,
                   state.planned == nullptr ? state.captured : state.planned->tensors);
  }
  if (!plans || state.status != 0) return;
  size_t count = 0;
  while (state.arguments[count].kind != Argument::Kind::kOther) ++count;
  if (count < 2 || state.arguments[count - 1].address == nullptr) return;
  executor_made(*state.pointer<void**>(count - 1), std::move(planned));
}

// Of those that are given a stream, all but these may make its work wait for the program.
bool makes_endless_work(std::string_view name, std::string_view parameters) {
  constexpr std::string_view kOthers[] = {
      "aclrtCreateStream",      "aclrtCreateStreamWithConfig",
      "aclrtDestroyStream",     "aclrtGetStreamAvailableNum",
      "aclrtMemcpyAsync",       "aclrtMemsetAsync",
      "aclrtRecordEvent",       "aclrtStreamGetId",
      "aclrtStreamQuery",       "aclrtSynchronizeStream",
      "aclrtMemcpy2dAsync",     "aclrtCtxGetCurrentDefaultStream",
      "aclmdlRICaptureGetInfo", "aclrtSynchronizeStreamWithTimeout"};
  return parameters.find("stream") != std::string_view::npos && !name.starts_with("aclnn") &&
         std::ranges::find(kOthers, name) == std::end(kOthers);
}

// Where a function is given the stream on which it queues work, or waits.
std::optional<size_t> place_of_stream(std::string_view name, std::string_view parameters) {
  if (name.starts_with("aclmdlRI")) return std::nullopt;
  for (size_t place = 0; !parameters.empty(); ++place) {
    if (parameters.substr(0, parameters.find(',')) == "stream") return place;
    parameters.remove_prefix(std::min(parameters.find(','), parameters.size() - 1) + 1);
  }
  return std::nullopt;
}

}  // namespace

void* Function::behind() {
  if (is_found.load(std::memory_order_acquire)) return address.load(std::memory_order_relaxed);
  void* const found = find_behind(name);
  handler = handler_of(name);
  stream = place_of_stream(name, parameters);
  if (makes_endless_work(name, parameters)) endless_work_possible();
  address = found;
  if (!is_found.exchange(true) && found == nullptr) {
    say("calls are refused of what no library behind has: ", name);
  }
  return found;
}

bool State::keeps_bytes() {
  return settings().keeps(function.name, function.calls++) && !is_capturing();
}

namespace {

// A stretch of the device's memory, and where its bytes are kept.
struct Look {
  std::string_view name;
  uintptr_t begin = 0;
  uint64_t size = 0;
  std::optional<Kept> kept = {};  // none: they could not be read
  void run() noexcept {
    try {
      std::vector<std::byte> room;
      if (const auto bytes = read_device(begin, size, room)) kept = keep(*bytes);
    } catch (const std::exception&) {
      // No memory for it: it is not kept.
    }
  }
  void append(Text& bytes) const {
    bytes.key(name).open('{').key("at").address(reinterpret_cast<const void*>(begin));
    bytes.key("bytes").whole_unsigned(size).key("content");
    if (kept && kept->begin) {
      bytes.whole_unsigned(*kept->begin);
    } else {
      bytes.null();
      if (kept) bytes.key("hash").hexadecimal(kept->hash.high, kept->hash.low);
    }
    bytes.close('}');
  }
};

}  // namespace

void State::add(Text& bytes, std::string_view name, uintptr_t begin, uint64_t size) {
  Look look{name, begin, size};
  look.run();
  look.append(bytes);
}

void State::add_tensors(Text& bytes, const std::vector<PlannedTensor>& tensors) {
  constexpr uint64_t kWorthHelp = 256 << 10;
  std::vector<Look> looks;
  std::map<std::pair<uintptr_t, uint64_t>, size_t> same;  // by a stretch, its first: in place
  std::vector<size_t> firsts;
  uint64_t total = 0;
  for (const PlannedTensor& each : tensors) {
    Look look{each.name};
    if (!each.tensor.extent(look.begin, look.size)) continue;
    if (same.emplace(std::pair(look.begin, look.size), looks.size()).second) {
      firsts.push_back(looks.size());
      total += look.size;
    }
    looks.push_back(look);
  }
  if (total >= kWorthHelp && is_host_memory()) {
    // From the last on: results, which are new and have to be written, come last.
    share_out(firsts.size(), [&](size_t i) { looks[firsts[i]].run(); });
  } else {
    for (const size_t i : firsts) looks[i].run();
  }
  for (Look& each : looks) {
    each.kept = looks[same.at({each.begin, each.size})].kept;
    each.append(bytes);
  }
}

Call::Call(Function& function, const Argument* arguments, bool is_phase_two) noexcept {
  if (t_is_inside || !is_recording()) return;
  carefully([&] {
    auto state = std::make_unique<State>(function, arguments, is_phase_two);
    const Inside inside;
    if (function.stream) state->capture = capture_of(state->stream(*function.stream));
    if (is_phase_two) {
      state->planned = planned_of(arguments[2].address);
      state->keeps =
          state->planned != nullptr && state->keeps_bytes() && wait_for(state->stream(3));
      if (state->keeps) state->add_tensors(state->before, state->planned->tensors);
    }
    if (function.handler != nullptr && function.handler->before != nullptr)
      function.handler->before(*state);
    state->began = std::chrono::steady_clock::now();
    state_ = state.release();
  });
  if (state_ != nullptr) t_is_inside = true;
}

int64_t Call::end(int64_t status) noexcept {
  if (state_ == nullptr) return status;
  State& state = *state_;
  state.ended = std::chrono::steady_clock::now();
  state.status = status;
  carefully([&] {
    if (state.keeps && state.is_phase_two && status == 0 && wait_for(state.stream(3)))
      state.add_tensors(state.after, state.planned->tensors);
    const Handler* const handler = state.function.handler;
    if (handler != nullptr && handler->after != nullptr) handler->after(state);
    write_call(state);
  });
  return state.status;
}

void Call::end_with(const void* result) noexcept {
  if (state_ == nullptr) return;
  state_->result = result;
  state_->makes = true;
  end(0);
}

Call::~Call() {
  if (state_ == nullptr) return;
  delete state_;
  t_is_inside = false;
}

}  // namespace aclgrad::record
