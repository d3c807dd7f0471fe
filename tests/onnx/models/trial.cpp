// SPDX-License-Identifier: Apache-2.0
#include "tests/onnx/models/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "aclgrad/aclgrad.h"
#include "aclgrad/format.h"
#include "aclgrad/io/file.h"
#include "aclgrad/onnx.h"
#include "onnx/model_file.h"

namespace aclgrad::onnx_models {
namespace {

// ONNX's own runner compares with these.
constexpr double kRelative = 1e-3, kAbsolute = 1e-7;

struct DataSet {
  std::vector<Tensor> inputs, outputs;
};

// What is compared with something that is no tensor here.
struct NoTensor : Error {
  using Error::Error;
};

// The data of bfloat16 lie in the package as the numbers that their bits are.
Tensor read_tensor(const std::filesystem::path& path, const onnx::Port& port) {
  ::onnx::TensorProto proto;
  if (!proto.ParseFromString(read_file(path))) throw NoTensor("data that are no tensors");
  if (port.dtype == DType::bfloat16 && proto.data_type() == ::onnx::TensorProto::UINT16) {
    proto.set_data_type(::onnx::TensorProto::BFLOAT16);
  }
  try {
    return onnx::tensor_of(proto);
  } catch (const ValueError&) {
    throw NoTensor("tensors of " + onnx::type_name(proto.data_type()));
  }
}

void require_tensors(const std::vector<onnx::Port>& ports) {
  for (const onnx::Port& port : ports) {
    if (!port.dtype) {
      const bool is_tensor = port.type.find(' ') == std::string::npos && port.type != "map";
      throw NoTensor(is_tensor ? "tensors of " + port.type
                               : "inputs or outputs that are a " + port.type);
    }
  }
}

std::vector<Tensor> numbered(const std::filesystem::path& folder, const std::string& kind,
                             const std::vector<onnx::Port>& ports) {
  std::vector<Tensor> tensors;
  for (const onnx::Port& port : ports) {
    tensors.push_back(read_tensor(folder / fmt::format("{}_{}.pb", kind, tensors.size()), port));
  }
  return tensors;
}

void collect_operators(const ::onnx::GraphProto& graph, std::set<std::string>& names) {
  for (const ::onnx::NodeProto& node : graph.node()) {
    names.insert(node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type());
    for (const ::onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.has_g()) collect_operators(attribute.g(), names);
    }
  }
}

bool is_close(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::abs(a - b) <= kAbsolute + kRelative * std::abs(b);
}

// Where they differ; nothing where they do not.
std::string difference(const Tensor& found, const Tensor& expected) {
  if (found.shape() != expected.shape()) {
    return fmt::format("shape {}, expected {}", found.shape(), expected.shape());
  }
  if (found.dtype() != expected.dtype()) {
    return fmt::format("{}, expected {}", found.dtype(), expected.dtype());
  }
  for (std::int64_t i = 0; i < found.numel(); ++i) {
    if (is_close(found.get(i), expected.get(i))) continue;
    return fmt::format("element {} is {}, expected {}", i, found.get(i), expected.get(i));
  }
  return {};
}

// Whether it draws numbers, whose sequence the standard does not say.
bool is_random(const Trial& trial) {
  return std::ranges::any_of(trial.operators, [&](const std::string& name) {
    return name == "Bernoulli" || name.starts_with("Random") || name == "Multinomial" ||
           (name == "Dropout" && trial.name.starts_with("test_training_dropout"));
  });
}

// The model recorded for a set of data: tensors where nodes must know them, values elsewhere.
struct Recorded {
  Graph graph{Mode::evaluation};
  std::vector<Feed> feeds;
  std::vector<Value> outputs;
};

Recorded record(const onnx::Model& model, const DataSet& data) {
  std::set<std::string> known;
  while (true) {
    Recorded recorded;
    std::vector<onnx::Argument> arguments;
    for (std::size_t i = 0; i < data.inputs.size(); ++i) {
      const std::string& name = model.inputs()[i].name;
      if (known.contains(name)) {
        arguments.emplace_back(data.inputs[i]);
        continue;
      }
      const Value value =
          recorded.graph.input(name, data.inputs[i].shape(), data.inputs[i].dtype());
      recorded.feeds.emplace_back(value, data.inputs[i]);
      arguments.emplace_back(value);
    }
    try {
      recorded.outputs = model(recorded.graph, arguments);
      return recorded;
    } catch (const onnx::NotConstantError& error) {
      const std::size_t before = known.size();
      known.insert(error.inputs().begin(), error.inputs().end());
      if (known.size() == before) throw;
    }
  }
}

std::string run(const Recorded& recorded, const DataSet& data) {
  std::vector<Fetch> fetches(recorded.outputs.begin(), recorded.outputs.end());
  Session session(recorded.graph, fetches, {.replay = false});
  const std::vector<Value> wanted = session.inputs();
  std::vector<Feed> feeds;
  for (const Feed& feed : recorded.feeds) {
    if (std::ranges::find(wanted, feed.input()) != wanted.end()) feeds.push_back(feed);
  }
  const Results results = session.run(feeds);
  for (std::size_t i = 0; i < data.outputs.size(); ++i) {
    const std::string found = difference(results[i], data.outputs[i]);
    if (!found.empty()) return fmt::format("output {}: {}", i, found);
  }
  return {};
}

// The sum of all floating outputs, each times numbers that differ, so that no element is left out.
Value loss_of(const Recorded& recorded) {
  Value loss;
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i) {
    const Value& output = recorded.outputs[i];
    if (!is_floating(output.dtype()) || output.shape().numel() == 0) continue;
    const Tensor factors = init::uniform(output.shape(), 17 + i, 0.5, 1.5).to(output.dtype());
    const Value sum = reduce_sum(output * recorded.graph.constant(factors));
    loss = loss ? loss + cast(sum, loss.dtype()) : sum;
  }
  return loss;
}

// Of all that the loss depends on; where a rule says that there is no gradient for one of them
// (class weights, running statistics), of the model's first input alone.
ModelReport check(const Value& loss, const std::vector<Feed>& feeds) {
  const ModelCheckOptions options{.directions = 1, .largest_step = 0.25, .second_order = false};
  try {
    return check_model(loss, {}, feeds, options);
  } catch (const ValueError& error) {
    const bool has_none =
        std::string_view(error.what()).find("there is no gradient for") != std::string_view::npos;
    if (!has_none || !is_floating(feeds.at(0).tensor().dtype())) throw;
    return check_model(loss, {feeds[0].input()}, feeds, options);
  }
}

void check_gradient(Trial& trial, const onnx::Model& model, const DataSet& data) {
  try {
    const Recorded recorded = record(model, data);
    const Value loss = loss_of(recorded);
    if (!loss) {
      trial.gradient_reason = "no floating output";
      return;
    }
    std::vector<Feed> feeds;
    Session session(recorded.graph, {loss}, {.replay = false});
    const std::vector<Value> wanted = session.inputs();
    bool is_there = !model.parameters().empty();
    for (const Feed& feed : recorded.feeds) {
      if (std::ranges::find(wanted, feed.input()) == wanted.end()) continue;
      feeds.push_back(feed);
      is_there = is_there || is_floating(feed.tensor().dtype());
    }
    if (!is_there) {
      trial.gradient_reason = "no floating input";
      return;
    }
    const ModelReport report = check(loss, feeds);
    trial.gradient = report.passed()                                        ? Gradient::proven
                     : report.verdict() == gradcheck::Verdict::inconclusive ? Gradient::inconclusive
                                                                            : Gradient::wrong;
    for (const TaylorDirection& direction : report.directions) {
      for (const TaylorRate& rate : direction.rates) trial.gradient_reason = rate.reason;
    }
  } catch (const Error& error) {
    trial.gradient_reason = error.what();
  }
}

Trial tried(const std::string& name, const std::filesystem::path& path, const Options& options,
            const std::function<std::vector<DataSet>(const onnx::Model&)>& read) {
  Trial trial{.name = name};
  const auto start = std::chrono::steady_clock::now();
  try {
    std::set<std::string> operators;
    collect_operators(onnx::read_model(path).graph(), operators);
    trial.operators.assign(operators.begin(), operators.end());
    const onnx::Model model = onnx::load(path);
    require_tensors(model.inputs());
    require_tensors(model.outputs());
    const std::vector<DataSet> sets = read(model);
    for (const DataSet& data : sets) {
      trial.reason = run(record(model, data), data);
      trial.outcome = trial.reason.empty() ? Outcome::passed : Outcome::failed;
      if (!trial.reason.empty()) break;
    }
    if (trial.outcome == Outcome::failed && is_random(trial)) {
      trial.outcome = Outcome::unsupported;
      trial.reason = "random numbers, whose sequence the standard does not say";
    }
    if (options.gradients && trial.outcome == Outcome::passed) {
      check_gradient(trial, model, sets.at(0));
    }
  } catch (const Error& error) {
    trial.reason = error.what();
  }
  trial.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return trial;
}

}  // namespace

Trial try_folder(const std::filesystem::path& folder, const Options& options) {
  return tried(
      folder.filename().string(), folder / "model.onnx", options, [&](const onnx::Model& model) {
        std::vector<DataSet> sets;
        for (int i = 0;; ++i) {
          const std::filesystem::path data = folder / fmt::format("test_data_set_{}", i);
          if (!std::filesystem::exists(data)) break;
          sets.push_back(
              {numbered(data, "input", model.inputs()), numbered(data, "output", model.outputs())});
        }
        if (sets.empty()) throw NoTensor("no data");
        return sets;
      });
}

Trial try_light(const std::filesystem::path& path, const Options& options) {
  return tried(path.stem().string(), path, options, [&](const onnx::Model& model) {
    DataSet data;
    for (const onnx::Port& port : model.inputs()) {
      const Shape shape(port.dims.value());
      data.inputs.push_back(
          (Tensor::arange(shape.numel()) / static_cast<double>(shape.numel())).reshape(shape));
    }
    std::filesystem::path base = path;
    base.replace_extension();
    for (std::size_t i = 0; i < model.outputs().size(); ++i) {
      data.outputs.push_back(
          read_tensor(base.string() + fmt::format("_output_{}.pb", i), model.outputs()[i]));
    }
    return std::vector<DataSet>{data};
  });
}

}  // namespace aclgrad::onnx_models
