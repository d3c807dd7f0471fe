// SPDX-License-Identifier: Apache-2.0
#include "tests/training/models/problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace aclgrad::training {
namespace {

// Different for every text, the same everywhere.
std::uint64_t number_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

void nudge(Tensor& tensor, const Numbers& numbers, std::uint64_t stream) {
  if (numbers.nudge == 0) return;
  const Random random(numbers.nudge, stream);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    const double by = 2 * random.uniform(static_cast<std::uint64_t>(i)) - 1;
    tensor.set(i, tensor.get(i) * (1 + by * numbers.unit));
  }
}

// Initial numbers: no parameter is 0, none at a corner, no buffer the one that it begins with. The
// float32 ones, whatever the dtype.
void set_initial(const Sequential& model, std::uint64_t seed, const Numbers& numbers) {
  for (const Variable& variable : model.state()) {
    if (!is_floating(variable.dtype())) continue;
    const Random random(seed, number_of(variable.name()));
    const bool is_variance = variable.name().ends_with("running_var");
    const bool is_statistic = is_variance || variable.name().ends_with("running_mean");
    Tensor value = variable.value().to(DType::float32);
    const bool scales = variable.shape().rank() == 1 && variable.name().ends_with(".weight");
    const double fan = variable.shape().rank() > 1
                           ? static_cast<double>(variable.shape().numel() / variable.shape()[0])
                           : 1;
    for (std::int64_t i = 0; i < value.numel(); ++i) {
      const double drawn = random.normal(static_cast<std::uint64_t>(i));
      const double spread = variable.shape().rank() > 1 ? 1 / std::sqrt(fan) : 0.3;
      value.set(i, is_variance ? 0.5 + std::abs(drawn)
                               : (scales && !is_statistic ? 1 : 0) + spread * drawn);
    }
    value = value.to(variable.dtype());
    nudge(value, numbers, number_of(variable.name()));
    variable.assign(value);
  }
}

bool is_16_bit(DType dtype) { return dtype == DType::float16 || dtype == DType::bfloat16; }

bool has_class_labels(const Json& loss) {
  const std::string kind = loss.at("kind");
  return (kind == "cross_entropy" && !option(loss, "soft", false)) || kind == "nll";
}

Tensor vector_of(const Json& numbers, DType dtype) {
  const std::vector<double> values = numbers;
  return Tensor::from({static_cast<std::int64_t>(values.size())}, values, dtype);
}

Value weights(const Json& loss, const char* name, const Value& prediction) {
  const auto found = loss.find(name);
  if (found == loss.end()) return {};
  return prediction.graph().constant(vector_of(*found, prediction.dtype()));
}

std::vector<std::int64_t> without_last(const Shape& shape) {
  return {shape.dims().begin(), shape.dims().end() - 1};
}

// Probabilities along the last axis, of which some are 0.
void make_probabilities(Tensor& of) {
  const std::int64_t classes = of.shape().dims().back();
  for (std::int64_t row = 0; row < of.numel(); row += classes) {
    double sum = 0;
    for (std::int64_t i = row; i < row + classes; ++i) sum += std::max(of.get(i), 0.0);
    for (std::int64_t i = row; i < row + classes; ++i) {
      const double share = sum > 0 ? std::max(of.get(i), 0.0) / sum : i == row;
      of.set(i, static_cast<double>(static_cast<float>(share)));
    }
  }
}

Reduction reduction_of(const Json& loss) {
  const std::string name = option<std::string>(loss, "reduction", "mean");
  return name == "sum" ? Reduction::sum : name == "none" ? Reduction::none : Reduction::mean;
}

LearningRate rate_of(const Json& optimizer) {
  const double rate = optimizer.at("learning_rate");
  const auto found = optimizer.find("schedule");
  if (found == optimizer.end()) return rate;
  const std::string kind = found->at("kind");
  if (kind == "constant") return schedule::constant(rate);
  if (kind == "step_decay")
    return schedule::step_decay(rate, found->at("factor"), found->at("every"));
  if (kind == "polynomial")
    return schedule::polynomial(rate, found->at("total"), {.power = found->at("power")});
  if (kind == "warm_restarts")
    return schedule::warm_restarts(rate, found->at("period"), {.growth = found->at("growth")});
  if (kind == "one_cycle")
    return schedule::one_cycle(rate, found->at("total"), {.warm_up_share = found->at("share")});
  return schedule::cosine(rate, found->at("warm_up"), found->at("total"), found->at("least"));
}

std::vector<ParameterGroup> groups_of(const Json& optimizer,
                                      const std::vector<Variable>& parameters) {
  const auto found = optimizer.find("groups");
  if (found == optimizer.end() || found->empty()) return {};
  std::vector<ParameterGroup> groups(std::min(found->size(), parameters.size()));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Json& group = (*found)[i];
    if (group.contains("weight_decay")) groups[i].weight_decay = group["weight_decay"];
    groups[i].learning_rate_factor = option(group, "learning_rate_factor", 1.0);
    const auto take = [&](const char* name, std::optional<double>& value) {
      if (group.contains(name)) value = group[name].get<double>();
    };
    take("momentum", groups[i].momentum);
    take("beta1", groups[i].beta1);
    take("beta2", groups[i].beta2);
    take("epsilon", groups[i].epsilon);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    groups[i % groups.size()].parameters.push_back(parameters[i]);
  }
  return groups;
}

// The options that most optimizers have; those that the description does not tell keep the
// library's default.
template <class Made, class Options>
std::unique_ptr<Optimizer> made_of(const Json& from, const std::vector<Variable>& parameters,
                                   Options options) {
  options.learning_rate = rate_of(from);
  options.weight_decay = option(from, "weight_decay", options.weight_decay);
  if (from.contains("clip_norm")) options.clip_norm = from["clip_norm"].get<double>();
  const auto take = [&](const char* name, auto& value) { value = option(from, name, value); };
  if constexpr (requires { options.momentum; }) take("momentum", options.momentum);
  if constexpr (requires { options.nesterov; }) take("nesterov", options.nesterov);
  if constexpr (requires { options.dampening; }) take("dampening", options.dampening);
  if constexpr (requires { options.beta1; }) take("beta1", options.beta1);
  if constexpr (requires { options.beta2; }) take("beta2", options.beta2);
  if constexpr (requires { options.epsilon; }) take("epsilon", options.epsilon);
  if constexpr (requires { options.maximize; }) take("maximize", options.maximize);
  if constexpr (requires { options.amsgrad; }) take("amsgrad", options.amsgrad);
  if constexpr (requires { options.alpha; }) take("alpha", options.alpha);
  if constexpr (requires { options.centered; }) take("centered", options.centered);
  return std::make_unique<Made>(options, groups_of(from, parameters));
}

}  // namespace

std::unique_ptr<Optimizer> build_optimizer(const Json& optimizer,
                                           const std::vector<Variable>& parameters) {
  const std::string kind = optimizer.at("kind");
  if (kind == "sgd") return made_of<Sgd>(optimizer, parameters, SgdOptions{});
  if (kind == "adam") return made_of<Adam>(optimizer, parameters, AdamOptions{});
  if (kind == "adamw") return made_of<AdamW>(optimizer, parameters, AdamWOptions{});
  if (kind == "rmsprop") return made_of<RmsProp>(optimizer, parameters, RmsPropOptions{});
  if (kind == "lion") return made_of<Lion>(optimizer, parameters, LionOptions{});
  throw ValueError("no kind of optimizer: " + kind);
}

std::function<Value(const Value&, const Value&)> build_loss(const Json& loss) {
  return [loss](const Value& y, const Value& t) -> Value {
    const std::string kind = loss.at("kind");
    const Reduction how = reduction_of(loss);
    const std::int64_t ignored = option(loss, "ignore_index", kIgnoreIndex);
    Value made;
    if (kind == "cross_entropy") {
      made = cross_entropy(y, t,
                           {.weight = weights(loss, "weight", y),
                            .label_smoothing = option(loss, "label_smoothing", 0.0),
                            .ignore_index = ignored,
                            .reduction = how});
    } else if (kind == "nll") {
      made = nll_loss(log_softmax(y), t, {weights(loss, "weight", y), ignored, how});
    } else if (kind == "kl_div") {
      made = kl_div(log_softmax(y), t, {.reduction = how});
    } else if (kind == "huber") {
      made = huber_loss(y, t, {.delta = option(loss, "delta", 1.0), .reduction = how});
    } else if (kind == "cosine_embedding") {  // of predictions and labels, alike by turns
      const Value alike = sign(reshape(slice(t, -1, 0, 1), without_last(t.shape())));
      made = cosine_embedding_loss(y, t, alike,
                                   {.margin = option(loss, "margin", 0.0), .reduction = how});
    } else if (kind == "triplet_margin") {
      made = triplet_margin_loss(y, t, neg(t),
                                 {.margin = option(loss, "margin", 1.0),
                                  .swap = option(loss, "swap", false),
                                  .reduction = how});
    } else if (kind == "bce") {
      made = bce_with_logits(y, t,
                             {.weight = weights(loss, "weight", y),
                              .pos_weight = weights(loss, "pos_weight", y),
                              .reduction = how});
    } else if (kind == "mse") {
      made = mse_loss(y, t, how);
    } else if (kind == "l1") {
      made = l1_loss(y, t, how);
    } else if (kind == "smooth_l1") {
      made = smooth_l1_loss(y, t, {.beta = option(loss, "beta", 1.0), .reduction = how});
    } else {
      throw ValueError("no kind of loss: " + kind);
    }
    return how == Reduction::none ? mean(made) : made;
  };
}

Sequential build_model(const Spec& spec, Parts& parts, Shape* result) {
  const Json& input = spec.at("input");
  Sequential model;
  const Shape shape = add_layers(model, spec.at("layers"), with_rows(2, input.at("shape")),
                                 input.contains("tokens"), parts);
  if (result != nullptr) *result = shape;
  return model;
}

data::Dataset make_examples(const Spec& spec, const Shape& predicted, std::int64_t first,
                            std::int64_t count, const Numbers& numbers) {
  const Json& input = spec.at("input");
  const Json& loss = spec.at("loss");
  const DType dtype = numbers.dtype == DType::float64 ? DType::float64 : DType::float32;
  const std::uint64_t seed = spec.at("seed");
  const Random features(seed, 1), labels(seed, 2), ignoring(seed, 3);
  const double scale = option(input, "scale", 1.0);
  const bool whole = option(input, "whole", false);
  const auto at = [&](const Tensor& of, std::int64_t i) {
    return static_cast<std::uint64_t>(first * (of.numel() / std::max<std::int64_t>(count, 1)) + i);
  };
  data::Dataset made;
  const bool tokens = input.contains("tokens");
  made.features = Tensor::zeros(with_rows(count, input.at("shape")), tokens ? DType::int64 : dtype);
  for (std::int64_t i = 0; i < made.features.numel(); ++i) {
    const std::uint64_t place = at(made.features, i);
    if (tokens) {
      made.features.set(i, static_cast<double>(features.below(place, input["tokens"])));
      continue;
    }
    const double drawn = features.normal(place);
    made.features.set(i, static_cast<float>(scale * (whole ? std::round(drawn) : drawn)));
  }
  if (!tokens) nudge(made.features, numbers, 7);
  std::vector<std::int64_t> dims = predicted.dims();
  dims[0] = count;
  if (has_class_labels(loss)) {
    const auto classes = static_cast<std::uint64_t>(dims.back());
    dims.pop_back();
    const bool narrow = option<std::string>(loss, "labels", "int64") == "int32";
    made.labels = Tensor::zeros(Shape(dims), narrow ? DType::int32 : DType::int64);
    for (std::int64_t i = 0; i < made.labels.numel(); ++i) {
      const std::uint64_t place = at(made.labels, i);
      made.labels.set(i, ignoring.uniform(place) < option(loss, "ignored", 0.0)
                             ? static_cast<double>(option(loss, "ignore_index", kIgnoreIndex))
                             : static_cast<double>(labels.below(place, classes)));
    }
    return made;
  }
  made.labels = Tensor::zeros(Shape(dims), dtype);
  for (std::int64_t i = 0; i < made.labels.numel(); ++i) {
    const std::uint64_t place = at(made.labels, i);
    const double drawn = loss.at("kind") == "bce" ? labels.uniform(place) : labels.normal(place);
    made.labels.set(i, static_cast<double>(static_cast<float>(drawn)));
  }
  if (option(loss, "soft", false) || loss.at("kind") == "kl_div") make_probabilities(made.labels);
  return made;
}

std::unique_ptr<Problem> build(const Spec& spec, const Numbers& numbers) {
  auto problem = std::make_unique<Problem>();
  Shape predicted;
  problem->model = build_model(spec, problem->parts, &predicted);
  if (numbers.dtype == DType::float64 || numbers.narrow_parameters) {
    problem->model.to(numbers.dtype);
  }
  set_initial(problem->model, spec.at("seed"), numbers);
  for (const std::string name : option(spec, "frozen", Json::array())) {
    problem->parts.at(name).freeze();
  }
  problem->optimizer = build_optimizer(spec.at("optimizer"), problem->model.parameters());
  const bool narrow = is_16_bit(numbers.dtype);
  problem->predict = [model = problem->model, dtype = numbers.dtype, narrow](const Value& x) {
    const Value y = model(narrow && is_floating(x.dtype()) ? cast(x, dtype) : x);
    return y.dtype() == dtype && narrow ? cast(y, DType::float32) : y;
  };
  problem->loss = [predict = problem->predict, of = build_loss(spec.at("loss"))](
                      const Value& x, const Value& t) { return of(predict(x), t); };
  const std::vector<std::int64_t> sizes = spec.at("batches");
  if (sizes.empty()) throw ValueError("there are no batches");
  const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  problem->examples = make_examples(spec, predicted, 0, total, numbers);
  std::int64_t first = 0;
  for (const std::int64_t size : sizes) {
    problem->batches.push_back({problem->examples.features.slice(0, first, first + size),
                                problem->examples.labels.slice(0, first, first + size)});
    first += size;
  }
  problem->evaluation =
      make_examples(spec, predicted, total, spec.at("evaluation").at("examples"), numbers);
  problem->evaluation_batch_size = spec.at("evaluation").at("batch_size");
  problem->steps = spec.at("steps");
  return problem;
}

}  // namespace aclgrad::training
