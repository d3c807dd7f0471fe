// SPDX-License-Identifier: Apache-2.0
#include "io/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "aclgrad/error.h"
#include "io/little_endian.h"
#include "io/shown.h"

namespace aclgrad::detail {
namespace {

enum class PickledKind : std::uint8_t {
  other,  // None, a number with a fraction, or an object; its text says why the latter is no tensor
  number,
  text,
  tuple,
  list,
  dict,
  name,
  storage,
  tensor
};

// Of values that lie in Machine::values_ and refer to each other by number, so that a cycle is none
// of owners.
struct Pickled {
  PickledKind kind = PickledKind::other;
  std::int64_t number = 0;
  std::string text = {};                // of a text; "module.name" of a name
  std::vector<std::size_t> items = {};  // of a dict: key, value, key, value ...
  PickledTensor tensor = {};            // of a storage: its first three members
};

constexpr std::pair<std::string_view, DType> kStorages[] = {
    {"torch.DoubleStorage", DType::float64}, {"torch.FloatStorage", DType::float32},
    {"torch.HalfStorage", DType::float16},   {"torch.BFloat16Storage", DType::bfloat16},
    {"torch.LongStorage", DType::int64},     {"torch.IntStorage", DType::int32},
    {"torch.ShortStorage", DType::int16},    {"torch.CharStorage", DType::int8},
    {"torch.ByteStorage", DType::uint8},     {"torch.BoolStorage", DType::boolean}};
constexpr std::string_view kDict = "collections.OrderedDict";
constexpr std::string_view kDefaultDict = "collections.defaultdict";
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kParameters[] = {"torch._utils._rebuild_parameter",
                                            "torch._utils._rebuild_parameter_with_state"};

constexpr std::size_t kLongestPickle = std::size_t{64} << 20;

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {
    if (bytes.size() > kLongestPickle) fail("a pickle of more than 64 MiB");
  }

  PickledTensors run() {
    constexpr char kStop = '.';
    for (char opcode = next(); opcode != kStop; opcode = next()) execute(opcode);
    collect(pop(), "", 0);
    return std::move(found_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw IoError(fmt::format("{}, at byte {}: {}", place_, begin_, what));
  }
  [[noreturn]] void fail_damaged() const { fail("the pickle is damaged"); }

  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - at_) fail("the pickle is cut off");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }
  template <class T>
  T take_number() {
    return number_at<T>(take(sizeof(T)), 0);
  }
  std::string_view take_line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) fail("the pickle is cut off");
    const std::string_view line = take(end - at_);
    ++at_;
    return line;
  }

  // A pickle takes out of its memo as often as it likes what stands in it once: without a limit, a
  // file of a few megabytes would become any number of gigabytes.
  void spend(std::size_t bytes) {
    constexpr std::size_t kTimes = 512, kAlways = 1 << 20, kMost = std::size_t{1} << 30;
    spent_ += bytes;
    if (spent_ > std::min(kMost, kTimes * bytes_.size() + kAlways)) {
      fail(fmt::format("what the pickle describes takes more than {} times its size, or 1 GiB",
                       kTimes));
    }
  }
  Pickled& value(std::size_t number) { return values_[number]; }
  void push(Pickled made) {
    spend(sizeof(Pickled) + made.text.size() + made.items.size() * sizeof(std::size_t) +
          made.tensor.storage.size());
    stack_.push_back(values_.size());
    values_.push_back(std::move(made));
  }
  void push_number(std::int64_t number) { push({.kind = PickledKind::number, .number = number}); }
  std::size_t pop() {
    if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size())) fail_damaged();
    const std::size_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::size_t pop(PickledKind kind) {
    const std::size_t top = pop();
    if (value(top).kind != kind) fail_damaged();
    return top;
  }
  std::vector<std::size_t> pop_to_mark() {
    if (marks_.empty()) fail_damaged();
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<std::size_t> items(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return items;
  }
  // What a call or a storage is made of, of which there are never many.
  std::vector<std::size_t> pop_arguments() {
    const std::vector<std::size_t>& items = value(pop(PickledKind::tuple)).items;
    if (items.size() > 8) fail_damaged();
    return items;
  }
  std::vector<std::size_t> pop_some(std::size_t count) {
    std::vector<std::size_t> items(count);
    while (count-- > 0) items[count] = pop();
    return items;
  }
  // Adds to the dict or list on top, or to an object that is one, too, and of no use here.
  void extend(PickledKind kind, const std::vector<std::size_t>& items) {
    const std::size_t top = pop();
    if (value(top).kind != kind && value(top).kind != PickledKind::other) fail_damaged();
    if (kind == PickledKind::dict && items.size() % 2 != 0) fail_damaged();
    std::vector<std::size_t>& all = value(top).items;
    all.insert(all.end(), items.begin(), items.end());
    stack_.push_back(top);
  }
  void keep(std::size_t place) {
    const std::size_t top = pop();
    stack_.push_back(top);
    if (memo_.insert_or_assign(place, top).second) spend(64);
  }
  void recall(std::size_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail_damaged();
    stack_.push_back(found->second);
  }

  char next() {
    begin_ = at_;
    return take(1)[0];
  }
  void execute(char opcode);
  void push_name();
  void push_storage();
  void call();
  void push_object(const std::string& maker);
  Pickled tensor_of(const std::vector<std::size_t>& arguments);
  Pickled dict_of(std::size_t content);
  std::int64_t number_of(std::size_t item) {
    if (value(item).kind != PickledKind::number) fail_damaged();
    return value(item).number;
  }
  std::vector<std::int64_t> numbers_of(std::size_t item) {
    if (value(item).kind != PickledKind::tuple || value(item).items.size() > 64) fail_damaged();
    std::vector<std::int64_t> numbers;
    for (const std::size_t each : value(item).items) numbers.push_back(number_of(each));
    return numbers;
  }
  void collect(std::size_t item, const std::string& name, int depth);

  std::string_view bytes_;
  const std::string& place_;
  std::size_t at_ = 0, begin_ = 0;
  std::vector<Pickled> values_;
  std::vector<std::size_t> stack_, marks_;
  std::map<std::size_t, std::size_t> memo_;
  PickledTensors found_;
  std::set<std::string> names_;
  std::size_t spent_ = 0;  // in bytes, at least
};

void Machine::execute(char opcode) {
  switch (opcode) {
    case '\x80':  // PROTO
      if (const auto version = take_number<std::uint8_t>(); version != 2) {
        fail(fmt::format("protocol {} of pickle is not read: save with torch.save()'s own, 2",
                         version));
      }
      return;
    case '(':  // MARK
      return marks_.push_back(stack_.size());
    case '}':  // EMPTY_DICT
      return push({.kind = PickledKind::dict});
    case ']':  // EMPTY_LIST
      return push({.kind = PickledKind::list});
    case ')':  // EMPTY_TUPLE
      return push({.kind = PickledKind::tuple});
    case 't': {  // TUPLE
      std::vector<std::size_t> items = pop_to_mark();
      return push({.kind = PickledKind::tuple, .items = std::move(items)});
    }
    case '\x85':  // TUPLE1
    case '\x86':
    case '\x87': {  // TUPLE3
      std::vector<std::size_t> items = pop_some(static_cast<std::size_t>(opcode - '\x84'));
      return push({.kind = PickledKind::tuple, .items = std::move(items)});
    }
    case 'N':  // NONE
      return push({});
    case '\x88':  // NEWTRUE
    case '\x89':  // NEWFALSE
      return push_number(opcode == '\x88');
    case 'K':  // BININT1
      return push_number(take_number<std::uint8_t>());
    case 'M':  // BININT2
      return push_number(take_number<std::uint16_t>());
    case 'J':  // BININT
      return push_number(take_number<std::int32_t>());
    case '\x8a': {  // LONG1: of so many bytes, the last with the sign
      const std::size_t size = take_number<std::uint8_t>();
      const std::string_view bytes = take(size);
      if (size > 8) fail("a number of more than 64 bits");
      const bool negative = size > 0 && static_cast<signed char>(bytes.back()) < 0;
      std::string all(8, negative ? '\xFF' : '\0');
      all.replace(0, size, bytes);
      return push_number(number_at<std::int64_t>(all, 0));
    }
    case 'G':  // BINFLOAT
      take(8);
      return push({});
    case 'X': {  // BINUNICODE
      const std::size_t size = take_number<std::uint32_t>();
      return push({.kind = PickledKind::text, .text = std::string(take(size))});
    }
    case 'q':  // BINPUT
      return keep(take_number<std::uint8_t>());
    case 'r':  // LONG_BINPUT
      return keep(take_number<std::uint32_t>());
    case 'h':  // BINGET
      return recall(take_number<std::uint8_t>());
    case 'j':  // LONG_BINGET
      return recall(take_number<std::uint32_t>());
    case 's':  // SETITEM
      return extend(PickledKind::dict, pop_some(2));
    case 'u':  // SETITEMS
      return extend(PickledKind::dict, pop_to_mark());
    case 'a':  // APPEND
      return extend(PickledKind::list, pop_some(1));
    case 'e':  // APPENDS
      return extend(PickledKind::list, pop_to_mark());
    case 'c':  // GLOBAL
      return push_name();
    case 'Q':  // BINPERSID
      return push_storage();
    case 'R':     // REDUCE
    case '\x81':  // NEWOBJ
      return call();
    case 'b':  // BUILD: attributes, as the versions in a state dict, say nothing here
      pop();
      return stack_.push_back(pop());
    default:
      fail(
          fmt::format("instruction 0x{:02x} of pickle is none that tensors need: only what "
                      "torch.save() makes of tensors in dicts, lists and tuples is read",
                      static_cast<std::uint8_t>(opcode)));
  }
}

void Machine::push_name() {
  const std::string_view module = take_line(), name = take_line();
  push({.kind = PickledKind::name, .text = fmt::format("{}.{}", module, name)});
}

// What is made by something that is not known here. It is not made.
void Machine::push_object(const std::string& maker) {
  push({.text = fmt::format("it asks for {}, which nothing here is made of: save tensors alone, "
                            "torch.save(model.state_dict(), path)",
                            shown(maker))});
}

// Of ('storage', type, key, device, elements).
void Machine::push_storage() {
  const std::vector<std::size_t> parts = pop_arguments();
  if (parts.size() != 5 || value(parts[0]).text != "storage" ||
      value(parts[1]).kind != PickledKind::name || value(parts[2]).kind != PickledKind::text) {
    fail_damaged();
  }
  const std::string type = value(parts[1]).text;
  for (const auto& [name, dtype] : kStorages) {
    if (name != type) continue;
    push({.kind = PickledKind::storage,
          .tensor = {.storage = value(parts[2]).text,
                     .dtype = dtype,
                     .storage_numel = number_of(parts[4])}});
    return;
  }
  push({.text =
            fmt::format("there is no dtype here for {}: convert the tensors before", shown(type))});
}

// Of (storage, offset, sizes, strides, ...).
Pickled Machine::tensor_of(const std::vector<std::size_t>& arguments) {
  if (arguments.size() < 4) fail_damaged();
  const Pickled& storage = value(arguments[0]);
  if (storage.kind == PickledKind::other && !storage.text.empty()) return {.text = storage.text};
  if (storage.kind != PickledKind::storage) fail_damaged();
  Pickled made{.kind = PickledKind::tensor, .tensor = storage.tensor};
  made.tensor.offset = number_of(arguments[1]);
  made.tensor.sizes = numbers_of(arguments[2]);
  made.tensor.strides = numbers_of(arguments[3]);
  return made;
}

// Of another dict, or of a list of pairs, as Python 2 writes an OrderedDict.
Pickled Machine::dict_of(std::size_t content) {
  const Pickled& from = value(content);
  if (from.kind == PickledKind::dict) return {.kind = PickledKind::dict, .items = from.items};
  if (from.kind != PickledKind::list && from.kind != PickledKind::tuple) fail_damaged();
  Pickled made{.kind = PickledKind::dict};
  for (const std::size_t item : from.items) {
    const Pickled& pair = value(item);
    const bool is_pair = pair.kind == PickledKind::list || pair.kind == PickledKind::tuple;
    if (!is_pair || pair.items.size() != 2) fail_damaged();
    made.items.insert(made.items.end(), pair.items.begin(), pair.items.end());
  }
  return made;
}

// Of a function, or of a class and what its __new__() gets.
void Machine::call() {
  const std::size_t given = pop();
  const Pickled& maker = value(pop());
  if (value(given).kind != PickledKind::tuple) fail_damaged();
  // What an object makes is one, too: the type of a NumPy number, say.
  if (maker.kind == PickledKind::other) return push({.text = maker.text});
  if (maker.kind != PickledKind::name) fail_damaged();
  const std::string function = maker.text;
  const std::vector<std::size_t>& all = value(given).items;
  const std::vector<std::size_t> arguments(
      all.begin(), all.begin() + std::min<std::ptrdiff_t>(8, std::ssize(all)));
  if (function == kDict || function == kDefaultDict) {
    // The first one of a defaultdict makes what is missing.
    const std::size_t before = function == kDefaultDict ? 1 : 0;
    if (arguments.size() > before + 1) fail_damaged();
    push(arguments.size() > before ? dict_of(arguments[before])
                                   : Pickled{.kind = PickledKind::dict});
  } else if (function == kTensor) {
    push(tensor_of(arguments));
  } else if (std::ranges::find(kParameters, function) != std::end(kParameters)) {
    if (arguments.empty()) fail_damaged();
    stack_.push_back(arguments[0]);
  } else {
    push_object(function);
  }
}

void Machine::collect(std::size_t item, const std::string& name, int depth) {
  // What refers to itself would not end.
  constexpr int kDeepest = 64;
  if (depth > kDeepest) fail("dicts and lists are nested too deeply");
  spend(sizeof(PickledTensor) + name.size());
  const Pickled& it = value(item);
  const std::string called = name.empty() ? "tensor" : name;
  const auto refuse = [&](const std::string& why) {
    found_.refused.emplace_back(called, fmt::format("{}, {}: {}", place_, shown(called), why));
  };
  if (it.kind == PickledKind::tensor) {
    if (!names_.insert(called).second) fail("there are two tensors " + shown(called));
    found_.tensors.emplace_back(called, it.tensor);
  } else if (it.kind == PickledKind::other || it.kind == PickledKind::name ||
             it.kind == PickledKind::storage) {
    if (it.kind == PickledKind::other && it.text.empty()) return;  // None, or a number
    const std::string why =
        it.kind == PickledKind::name ? fmt::format("it is {} of Python, no tensor", shown(it.text))
        : it.kind == PickledKind::storage ? "it is a storage, which has no shape: save the tensor"
                                          : it.text;
    spend(why.size());
    refuse(why);
  } else if (it.kind == PickledKind::dict || it.kind == PickledKind::list ||
             it.kind == PickledKind::tuple) {
    const bool is_dict = it.kind == PickledKind::dict;
    for (std::size_t i = 0; i < it.items.size(); i += is_dict ? 2 : 1) {
      std::string key = std::to_string(i);
      if (is_dict) {
        const Pickled& given = value(it.items[i]);
        if (given.kind != PickledKind::text && given.kind != PickledKind::number) {
          refuse("a key of this dict is neither text nor a whole number");
          continue;
        }
        key = given.kind == PickledKind::text ? given.text : std::to_string(given.number);
      }
      collect(it.items[is_dict ? i + 1 : i], name.empty() ? key : name + "." + key, depth + 1);
    }
  }
}

}  // namespace

PickledTensors unpickle(std::string_view bytes, const std::string& place) {
  return Machine(bytes, place).run();
}

}  // namespace aclgrad::detail
