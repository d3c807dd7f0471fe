// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/training/models/generate_layers.h"
#include "tests/training/models/problem.h"

namespace aclgrad::training {
namespace {

class Generator {
 public:
  Generator(std::uint64_t seed, const Wanted& wanted)
      : seed_(seed), draw_(seed), wanted_(wanted), layers_(draw_, wanted_) {}

  Spec operator()() {
    Spec spec{{"seed", seed_}, {"steps", 5}};
    spec["input"] = input();
    spec["layers"] = Json::array();
    const bool tokens = spec["input"].contains("tokens");
    if (tokens) {
      Json layer = layers_.named("embedding");
      layer["count"] = spec["input"]["tokens"];
      layer["width"] = draw_.whole(2, 6);
      const std::int64_t count = layer["count"];
      if (draw_.chance(0.3)) layer["padding_idx"] = draw_.whole(-count, count - 1);
      spec["layers"].push_back(layer);
    }
    Shape shape = shape_of(spec);
    if (!refused_) {
      for (const Json& layer : layers_.layers(shape, 5)) spec["layers"].push_back(layer);
      shape = shape_of(spec);
    }
    if (!refused_) add_head(spec, shape);
    if (wanted_.frozen && draw_.chance(0.2)) freeze_some(spec);
    spec["loss"] = loss(shape);
    spec["optimizer"] = optimizer();
    spec["batches"] = batches();
    spec["evaluation"] = {{"examples", draw_.whole(1, 13)}, {"batch_size", draw_.whole(1, 6)}};
    return spec;
  }

 private:
  Json input() {
    const std::int64_t kind = draw_.whole(0, 3);
    if (kind == 0) return {{"shape", {draw_.whole(1, 5)}}, {"tokens", draw_.whole(2, 9)}};
    Json made;
    if (kind == 1) made["shape"] = {draw_.whole(1, 4), draw_.whole(3, 8), draw_.whole(3, 8)};
    if (kind == 2) made["shape"] = {draw_.whole(1, 5), draw_.whole(2, 6)};
    if (kind == 3) made["shape"] = {draw_.whole(1, 6)};
    if (wanted_.unusual_numbers && draw_.chance(0.15)) made["scale"] = draw_.size(0.01, 50);
    if (wanted_.unusual_numbers && draw_.chance(0.1)) made["whole"] = true;
    return made;
  }

  // Any but the last layer that has parameters.
  void freeze_some(Spec& spec) {
    std::vector<std::string> candidates;
    for (const Json& layer : spec["layers"]) {
      const bool counts = layer.contains("name") && layer["kind"] != "dropout" &&
                          layer["kind"] != "alpha_dropout" && layer["kind"] != "residual" &&
                          layer["kind"] != "sequential" && layer["kind"] != "checkpointed";
      if (counts) candidates.push_back(layer["name"]);
    }
    for (std::size_t i = 0; i + 1 < candidates.size(); ++i) {
      if (draw_.chance(0.5)) spec["frozen"].push_back(candidates[i]);
    }
  }

  Shape shape_of(const Spec& spec) {
    const Json& input = spec["input"];
    Sequential unused;
    Parts parts;
    try {
      return add_layers(unused, spec["layers"], with_rows(2, input["shape"]),
                        input.contains("tokens"), parts);
    } catch (const Error&) {
      refused_ = true;
      return with_rows(2, input["shape"]);
    }
  }

  // Most models end in a linear layer.
  void add_head(Spec& spec, Shape& shape) {
    if (shape.rank() == 4 && draw_.chance(0.7)) {
      spec["layers"].push_back(draw_.chance(0.5) ? Json{{"kind", "flatten"}}
                                                 : Json{{"kind", "global_avg_pool2d"}});
    }
    shape = shape_of(spec);
    if ((shape.rank() != 4 && draw_.chance(0.85)) || !has_parameters(spec)) {
      Json head = layers_.named("linear");
      head["out"] = draw_.whole(2, 5);
      spec["layers"].push_back(head);
    }
    shape = shape_of(spec);
  }

  static bool has_parameters(const Spec& spec) {
    Parts parts;
    return !build_model(spec, parts).parameters().empty();
  }

  Json loss(const Shape& shape) {
    const std::int64_t last = shape.dims().back();
    const bool classes = last > 1 && shape.rank() < 4 && draw_.chance(0.65);
    Json made;
    if (classes) {
      made["kind"] = draw_.one_of({"nll", "cross_entropy", "cross_entropy", "kl_div"});
      if (made["kind"] == "cross_entropy") {
        if (draw_.chance(0.3)) made["label_smoothing"] = draw_.number(0.05, 0.9);
        if (draw_.chance(0.25)) made["soft"] = true;
      }
      if (made["kind"] != "kl_div" && !wanted_.only_plain_means) add_class_options(made, last);
    } else {
      made["kind"] = draw_.one_of({"mse", "mse", wanted_.corners ? "l1" : "mse", "smooth_l1", "bce",
                                   "huber", wanted_.corners ? "cosine_embedding" : "mse",
                                   wanted_.corners ? "triplet_margin" : "huber"});
      if (made["kind"] == "huber" && draw_.chance(0.7)) made["delta"] = draw_.number(0.1, 2);
      if (made["kind"] == "cosine_embedding") made["margin"] = draw_.number(0.1, 0.5);
      if (made["kind"] == "triplet_margin") {
        made["margin"] = draw_.number(0.5, 4);
        if (draw_.chance(0.5)) made["swap"] = true;
      }
      if (made["kind"] == "smooth_l1" && draw_.chance(0.7)) {
        made["beta"] = wanted_.corners && draw_.chance(0.2) ? 0.0 : draw_.number(0.1, 2);
      }
      if (made["kind"] == "bce" && !wanted_.only_plain_means) {
        if (draw_.chance(0.4)) made["weight"] = numbers(last);
        if (draw_.chance(0.4)) made["pos_weight"] = numbers(last);
      }
    }
    if (!wanted_.only_plain_means && draw_.chance(0.35)) {
      made["reduction"] = draw_.one_of({"sum", "none"});
    }
    return made;
  }

  void add_class_options(Json& made, std::int64_t classes) {
    if (draw_.chance(0.6)) made["weight"] = numbers(classes);
    if (option(made, "soft", false)) return;
    if (draw_.chance(0.4)) {
      made["ignored"] = draw_.number(0.1, 0.7);  // of the targets
      if (draw_.chance(0.5)) made["ignore_index"] = draw_.one_of<std::int64_t>({-1, 0, 255});
    }
    if (draw_.chance(0.2)) made["labels"] = "int32";
  }

  Json numbers(std::int64_t count) {
    Json made = Json::array();
    for (std::int64_t i = 0; i < count; ++i) made.push_back(draw_.number(0.1, 2));
    return made;
  }

  Json optimizer() {
    Json made{{"kind", draw_.one_of({"sgd", "sgd", "adam", "adamw", "rmsprop", "lion"})}};
    if (!wanted_.normalized_steps) made["kind"] = "sgd";
    const std::string kind = made["kind"];
    made["learning_rate"] = kind == "sgd" ? draw_.size(0.005, 0.1) : draw_.size(0.001, 0.02);
    if (draw_.chance(0.4)) made["weight_decay"] = draw_.size(0.001, 0.3);
    if (draw_.chance(0.3)) made["clip_norm"] = draw_.size(0.01, 3);
    add_options(made, kind);
    if (kind == "sgd" && draw_.chance(0.3)) {
      if (made.contains("momentum") && draw_.chance(0.6)) {
        made["nesterov"] = true;
      } else {
        made["dampening"] = draw_.number(0.1, 0.9);
      }
    }
    if (kind == "rmsprop" && draw_.chance(0.5)) made["alpha"] = draw_.number(0.5, 0.99);
    if (kind == "rmsprop" && draw_.chance(0.3)) made["centered"] = true;
    if ((kind == "adam" || kind == "adamw") && draw_.chance(0.3)) made["amsgrad"] = true;
    const bool descends_only = kind == "rmsprop" || kind == "lion";
    if (!descends_only && draw_.chance(0.2)) made["maximize"] = true;
    if (draw_.chance(0.3)) made["schedule"] = schedule();
    if (draw_.chance(0.3)) {
      made["groups"] = Json::array();
      for (std::int64_t i = draw_.whole(1, 3); i > 0; --i) made["groups"].push_back(group(kind));
    }
    return made;
  }

  // Those that a group may set, too.
  void add_options(Json& made, const std::string& kind) {
    if ((kind == "sgd" || kind == "rmsprop") && draw_.chance(0.5)) {
      made["momentum"] = draw_.number(0.3, 0.95);
    }
    const bool is_adam = kind == "adam" || kind == "adamw";
    if (is_adam || kind == "lion") {
      if (draw_.chance(0.5)) made["beta1"] = draw_.number(0, 0.95);
      if (draw_.chance(0.5)) made["beta2"] = draw_.number(0.5, 0.99);
    }
    if ((is_adam || kind == "rmsprop") && draw_.chance(0.5)) {
      made["epsilon"] = draw_.size(1e-6, 1e-2);
    }
  }

  Json group(const std::string& kind) {
    Json made = Json::object();
    if (draw_.chance(0.6)) made["weight_decay"] = draw_.size(0.001, 0.3);
    if (draw_.chance(0.6)) {
      made["learning_rate_factor"] = draw_.chance(0.2) ? 0.0 : draw_.size(0.1, 3);
    }
    if (draw_.chance(0.3)) add_options(made, kind);
    return made;
  }

  Json schedule() {
    switch (draw_.whole(0, 5)) {
      case 0:
        return {{"kind", "constant"}};
      case 3:
        return {{"kind", "polynomial"},
                {"total", draw_.whole(1, 8)},
                {"power", draw_.chance(0.5) ? 1.0 : 2.0}};
      case 4:
        return {{"kind", "warm_restarts"},
                {"period", draw_.whole(1, 3)},
                {"growth", draw_.whole(1, 2)}};
      case 5:
        return {{"kind", "one_cycle"},
                {"total", draw_.whole(6, 12)},
                {"share", draw_.number(0.1, 0.6)}};
      case 1:
        return {{"kind", "step_decay"},
                {"factor", draw_.number(0.1, 0.9)},
                {"every", draw_.whole(1, 3)}};
      default:
        return {{"kind", "cosine"},
                {"warm_up", draw_.whole(0, 3)},
                {"total", draw_.whole(3, 8)},
                {"least", draw_.chance(0.5) ? 0.0 : 0.001}};
    }
  }

  Json batches() {
    Json made = Json::array();
    const std::int64_t least = wanted_.small_batches ? 1 : 4;
    for (std::int64_t i = draw_.whole(1, 3); i > 0; --i) made.push_back(draw_.whole(least, 9));
    return made;
  }

  std::uint64_t seed_;
  Draw draw_;
  Wanted wanted_;
  LayerGenerator layers_;
  bool refused_ = false;
};

}  // namespace

Spec generate(std::uint64_t seed, const Wanted& wanted) { return Generator(seed, wanted)(); }

Shape with_rows(std::int64_t rows, const Json& extents) {
  std::vector<std::int64_t> dims{rows};
  for (const Json& extent : extents) dims.push_back(extent);
  return Shape(std::move(dims));
}

}  // namespace aclgrad::training
