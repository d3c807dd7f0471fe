// SPDX-License-Identifier: Apache-2.0
#include "replay/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "aclgrad_contract/numbers.h"
#include "gradcheck/tool/call.h"

namespace aclgrad::replay {
namespace {

using contract::Array;
using contract::Arrays;
using contract::Number;
using contract::Parameter;
using contract::TensorSpec;

const TensorArgument* find_tensor(const Task& task, const std::string& name,
                                  std::size_t* place = nullptr) {
  for (std::size_t i = 0; i < task.tensors.size(); ++i) {
    if (task.tensors[i].name != name) continue;
    if (place != nullptr) *place = i;
    return &task.tensors[i];
  }
  return nullptr;
}

// Whose parameter a tensor is: members of a list beyond those of the contract are like its first.
const Parameter* parameter_of(const contract::Operator& op, const std::string& tensor) {
  const std::string list = tensor.substr(0, tensor.find('['));
  const Parameter* like = nullptr;
  for (const Parameter& each : op.call.parameters) {
    if (each.name == tensor) return &each;
    if (like == nullptr && each.declared_name() == list) like = &each;
  }
  return like;
}

// An operator without what makes the tensors of a right call from each other, and arrays from them:
// those of a recorded call are as they are.
std::shared_ptr<const contract::Operator> as_recorded(const contract::Operator& op) {
  static std::map<std::string, std::shared_ptr<const contract::Operator>> all;
  auto& found = all[op.name()];
  if (found == nullptr) {
    auto copy = std::make_shared<contract::Operator>(op);
    copy->domain.arrange = nullptr;
    found = std::move(copy);
  }
  return found;
}

// An argument as a sample of the contract sets it.
std::optional<contract::Setting> setting_of(const contract::ParameterSpec& spec, const Json& json) {
  if (const auto* const word = std::get_if<contract::WordSpec>(&spec)) {
    if (!json.is_string()) return std::nullopt;
    for (std::size_t i = 0; i < word->words.size(); ++i) {
      if (json == word->words[i]) return static_cast<double>(i);
    }
    throw IoError("another word than those of the contract");
  }
  if (std::holds_alternative<contract::DtypeSpec>(spec))
    return static_cast<aclDataType>(whole<int>(json));
  if (std::holds_alternative<contract::ScalarSpec>(spec)) {
    if (json.is_null()) return std::nullopt;
    if (!json.contains("value")) throw IoError("a scalar of another dtype");
    const Json& value = json.at("value");
    if (value.is_boolean()) return value.get<bool>() ? 1.0 : 0.0;
    if (!value.is_number()) throw IoError("a scalar that is not finite");
    return value.get<double>();
  }
  if (json.is_array()) {
    contract::Shape values;
    for (const Json& each : json)
      values.push_back(each.is_boolean() ? each.get<bool>() : whole<std::int64_t>(each));
    return values;
  }
  if (json.is_boolean()) return json.get<bool>() ? 1.0 : 0.0;
  if (json.is_number()) return json.get<double>();
  return std::nullopt;
}

// The exact results of a call, by the places of their tensors.
struct Exact {
  contract::Arguments arguments;
  std::vector<std::size_t> places;
  Arrays results;
  Arrays scale;  // of sums that may cancel; empty where each element counts by itself
};

std::optional<Exact> exact_results(const Task& task) {
  const auto arguments = contract_arguments(task);
  if (!arguments || arguments->op().results.property) return std::nullopt;
  Exact exact{*arguments, {}, {}, {}};
  Arrays inputs;
  std::size_t place = 0;
  for (const Parameter* const each : inputs_of(exact.arguments)) {
    const TensorArgument* const tensor = find_tensor(task, each->name, &place);
    if (tensor == nullptr || (tensor->count() > 0 && task.before[place].empty()))
      return std::nullopt;
    inputs.push_back(array_of(*tensor, task.before[place]));
    if (each->tensor()->role == contract::Role::kInPlace) exact.places.push_back(place);
  }
  for (const Parameter* const each : outputs_of(exact.arguments)) {
    if (find_tensor(task, each->name, &place) == nullptr) return std::nullopt;
    exact.places.push_back(place);
  }
  exact.results = contract::results_of(exact.arguments, inputs);
  if (exact.results.size() != exact.places.size()) return std::nullopt;
  const contract::Results& results = exact.arguments.op().results;
  if (results.magnitude) exact.scale = results.magnitude(exact.arguments, inputs);
  for (const Array& each : exact.scale) {
    for (const Number number : each.values) {
      if (std::isnan(number)) return std::nullopt;  // no scale to count on
    }
  }
  return exact;
}

// How many bounds two elements are apart; 0 within rounding.
struct Distance {
  double off;
  double bound;
  double relative() const { return bound > 0 ? off / bound : off > 0 ? INFINITY : 0; }
};

Distance distance_to(const Exact& exact, std::size_t result, std::size_t element, Number actual,
                     DType dtype) {
  const Number right = gradcheck::is_float(dtype)
                           ? exact.results[result].values[element]
                           : gradcheck::round_to(exact.results[result].values[element], dtype);
  const bool has_scale = result < exact.scale.size() && element < exact.scale[result].values.size();
  const Number scale = has_scale ? exact.scale[result].values[element] : 0;
  const double bound = gradcheck::is_float(dtype) ? gradcheck::promised(exact.arguments, dtype) : 0;
  return {gradcheck::distance(actual, right, scale, dtype), bound};
}

// Those elements of a tensor that are not the same bits, by their row-major index and place.
template <class Visit>
void for_each_other(const TensorArgument& tensor, Content a, Content b, Visit visit) {
  const std::size_t size = contract::bytes_of(tensor.dtype);
  const std::vector<std::int64_t> places = tensor.places();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(places[i]) * size;
    if (at + size > a.size() || at + size > b.size()) continue;
    if (std::memcmp(a.data() + at, b.data() + at, size) != 0) visit(i, places[i]);
  }
}

bool has_numbers(const TensorArgument& tensor) {
  return contract::find_dtype(tensor.dtype) != nullptr && !contract::is_complex(tensor.dtype);
}

// Which of a task's tensors are parameters of another role than this one.
std::vector<bool> tensors_but(const Task& task, contract::Role role) {
  std::vector<bool> all;
  for (const TensorArgument& tensor : task.tensors) {
    const Parameter* const parameter = parameter_of(*task.op, tensor.name);
    all.push_back(parameter != nullptr && parameter->tensor() != nullptr &&
                  parameter->tensor()->role != role);
  }
  return all;
}

class Judge {
 public:
  Judge(const Task& task, const std::vector<Content>& recorded,
        const std::vector<std::vector<std::byte>>& here)
      : task_(task), recorded_(recorded), here_(here), written_(written_tensors(task)) {}

  Judgement run() {
    bool differs = false;
    for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
      if (recorded_[i].empty() || std::ranges::equal(recorded_[i], here_[i])) continue;
      bool any = false;
      for_each_other(task_.tensors[i], recorded_[i], here_[i],
                     [&](std::size_t, std::int64_t) { any = true; });
      if (any && !written_[i]) return changed(task_.tensors[i]);
      differs = differs || any;
    }
    if (!differs) return judgement_;
    try {
      exact_ = exact_results(task_);
    } catch (const std::exception& error) {
      why_ = error.what();
    }
    judgement_.verdict = Verdict::within;
    for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
      if (!recorded_[i].empty() && written_[i]) compare(i);
    }
    return judgement_;
  }

 private:
  Judgement changed(const TensorArgument& tensor) {
    return {Verdict::beyond,
            tensor.name + ", which the operator only reads, holds something else after the call",
            {},
            INFINITY};
  }

  void compare(std::size_t place) {
    const TensorArgument& tensor = task_.tensors[place];
    const auto dtype = static_cast<DType>(tensor.dtype);
    const auto result =
        exact_ ? std::ranges::find(exact_->places, place) - exact_->places.begin() : 0;
    const auto k = static_cast<std::size_t>(result);
    const auto count = static_cast<std::size_t>(tensor.count());
    const bool is_known = exact_ && has_numbers(tensor) && k < exact_->places.size() &&
                          exact_->results[k].values.size() == count;
    for_each_other(tensor, recorded_[place], here_[place], [&](std::size_t i, std::int64_t at) {
      if (!is_known) {
        beside_ours(tensor, i, at, place);
        return;
      }
      const Number got = gradcheck::load(recorded_[place].data(), dtype, at);
      const Distance theirs = distance_to(*exact_, k, i, got, dtype);
      if (theirs.off <= theirs.bound) {
        judgement_.largest = std::max(judgement_.largest, theirs.relative());
        return;
      }
      const Number ours = gradcheck::load(here_[place].data(), dtype, at);
      const Distance here = distance_to(*exact_, k, i, ours, dtype);
      if (here.off > here.bound) {  // the contract does not speak of such numbers
        beside_ours(tensor, i, at, place);
        return;
      }
      report(tensor, i, got, exact_->results[k].values[i], theirs);
    });
  }

  void report(const TensorArgument& tensor, std::size_t i, Number got, Number expected,
              const Distance& distance) {
    const bool is_worse =
        judgement_.verdict != Verdict::beyond || distance.relative() > judgement_.largest;
    judgement_.verdict = Verdict::beyond;
    if (!is_worse) return;
    judgement_.largest = distance.relative();
    judgement_.element = Element{tensor.name,
                                 static_cast<std::int64_t>(i),
                                 static_cast<double>(got),
                                 static_cast<double>(expected),
                                 distance.off,
                                 distance.bound,
                                 gradcheck::is_float(static_cast<DType>(tensor.dtype))};
  }

  // Without a bound: integers are the same everywhere, floating numbers need not be.
  void beside_ours(const TensorArgument& tensor, std::size_t i, std::int64_t at,
                   std::size_t place) {
    const auto dtype = static_cast<DType>(tensor.dtype);
    if (!has_numbers(tensor)) {
      unjudged(tensor.name + " has no numbers that are known here");
      return;
    }
    const Number got = gradcheck::load(recorded_[place].data(), dtype, at);
    const Number ours = gradcheck::load(here_[place].data(), dtype, at);
    if (task_.op->results.property) {
      unjudged("its results are random");
    } else if (!gradcheck::is_float(dtype)) {
      report(tensor, i, got, ours, {gradcheck::distance(got, ours, 0, dtype), 0});
    } else {
      unjudged(fmt::format("element {} of {} is {:.9g}, here {:.9g}, and no bound is known{}", i,
                           tensor.name, static_cast<double>(got), static_cast<double>(ours),
                           why_.empty() ? "" : ": " + why_));
    }
  }

  void unjudged(const std::string& why) {
    if (judgement_.verdict != Verdict::within) return;
    judgement_.verdict = Verdict::unjudged;
    judgement_.why = why;
  }

  const Task& task_;
  const std::vector<Content>& recorded_;
  const std::vector<std::vector<std::byte>>& here_;
  std::vector<bool> written_;
  std::optional<Exact> exact_;
  std::string why_;
  Judgement judgement_;
};

}  // namespace

std::string Element::to_string() const {
  return fmt::format(
      "element {} of {} is {:.9g}, expected {:.9g}: {:.4g} {} off, at most {:.4g} is right", index,
      tensor, got, expected, off, is_floating ? "ulp" : "", bound);
}

Array array_of(const TensorArgument& tensor, Content bytes) {
  Array array{tensor.shape, {}};
  const std::size_t size = contract::bytes_of(tensor.dtype);
  const std::vector<std::int64_t> places = tensor.places();
  array.values.reserve(places.size());
  for (const std::int64_t at : places) {
    if ((static_cast<std::size_t>(at) + 1) * size > bytes.size())
      throw IoError(tensor.name + " has too few bytes");
    array.values.push_back(gradcheck::load(bytes.data(), static_cast<DType>(tensor.dtype), at));
  }
  return array;
}

std::vector<bool> written_tensors(const Task& task) {
  return tensors_but(task, contract::Role::kInput);
}
std::vector<bool> read_tensors(const Task& task) {
  return tensors_but(task, contract::Role::kOutput);
}

std::optional<contract::Arguments> contract_arguments(const Task& task) {
  const contract::Operator& op = *task.op;
  // The arguments that are no tensors are a sample's settings.
  contract::Sample sample;
  const std::vector<std::size_t> declared = contract::declared_parameters(op);
  std::size_t i = 0;
  for (const auto& [name, json] : task.plan->arguments.items()) {
    if (i == declared.size()) break;
    const Parameter& parameter = op.call.parameters[declared[i++]];
    if (parameter.tensor() != nullptr) continue;
    if (!parameter.list.empty()) return std::nullopt;
    if (const auto setting = setting_of(parameter.spec, json))
      sample.settings.emplace_back(parameter.name, *setting);
  }
  for (const TensorArgument& tensor : task.tensors) {
    const Parameter* const parameter = parameter_of(op, tensor.name);
    if (parameter == nullptr || parameter->name != tensor.name) return std::nullopt;
    if (parameter->tensor()->optional) sample.settings.emplace_back(parameter->name, tensor.shape);
  }
  contract::Arguments arguments(as_recorded(op), sample);
  std::optional<aclDataType> dtype;
  for (Parameter& parameter : arguments.parameters()) {
    auto* const spec = std::get_if<TensorSpec>(&parameter.spec);
    if (spec == nullptr) continue;
    const TensorArgument* const tensor = find_tensor(task, parameter.name);
    spec->optional = tensor == nullptr;
    if (tensor == nullptr) continue;
    if (!has_numbers(*tensor)) return std::nullopt;
    spec->shape = tensor->shape;
    if (spec->dtype) {
      spec->dtype = tensor->dtype;
    } else if (dtype && *dtype != tensor->dtype) {
      return std::nullopt;
    } else {
      dtype = tensor->dtype;
    }
  }
  return arguments.in(dtype.value_or(ACL_FLOAT));
}

Judgement judge(const Task& task, const std::vector<Content>& recorded,
                const std::vector<std::vector<std::byte>>& here) {
  return Judge(task, recorded, here).run();
}

}  // namespace aclgrad::replay
