// SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/layers.h"

#include <utility>

#include "ops/recurrent/layers_work.h"

namespace aclgrad::ops {
namespace {

class LayersForward : private Layers {
 public:
  LayersForward(const Arguments& arguments, const LayerSizes& sizes, const LayerTensors& tensors)
      : Layers(sizes),
        input_(staging_.input(tensors.input)),
        output_(staging_.output(tensors.output)),
        h_(staging_.input(arguments, tensors.h)),
        last_h_(staging_.output(arguments, tensors.last_h)),
        recurrent_(dense_problem(s_.compute, s_.batch, s_.gates(), s_.size, false, false)),
        projected_(scratch(s_.rows(), s_.gates())),
        hidden_(scratch(s_.batch, s_.gates())),
        between_(scratch_between()) {
    if (s_.cell == Cell::kLstm) {
      c_ = staging_.input(arguments, tensors.c);
      last_c_ = staging_.output(arguments, tensors.last_c);
    }
    for (int64_t k = 0; k < s_.directed_layers(); ++k) {
      const size_t first = tensors.parameters + static_cast<size_t>(k) * s_.parameters();
      const StagedMatrix w = matrix(arguments, first);
      DirectedLayer made{
          w.array,
          DenseProduct(dense_problem(s_.compute, s_.rows(), s_.gates(), s_.in_of(k / s_.directions),
                                     false, !w.by_columns)),
          staging_.input(exchanged(arguments, first + 1))};
      if (s_.has_biases) {
        made.input_bias = staging_.input(arguments, first + 2);
        made.hidden_bias = staging_.input(arguments, first + 3);
      }
      for (const size_t list : tensors.kept) {
        made.kept.push_back(staging_.output(arguments, list + static_cast<size_t>(k)));
      }
      layers_.push_back(std::move(made));
    }
  }

  static Plan plan(std::shared_ptr<const LayersForward> work) { return plan_of(std::move(work)); }

 private:
  friend Layers;

  struct DirectedLayer {
    size_t input_weight;
    DenseProduct project;
    size_t hidden_weight;  // transposed
    std::optional<size_t> input_bias = {}, hidden_bias = {};
    std::vector<size_t> kept = {};
  };

  template <class T>
  void run(const Run& run) const {
    const T* x = staging_.data<T>(run, input_);
    for (int64_t layer = 0; layer < s_.layers; ++layer) {
      const bool is_last = layer + 1 == s_.layers;
      T* const y =
          staging_.data<T>(run, is_last ? output_ : between_[static_cast<size_t>(layer % 2)]);
      for (int64_t d = 0; d < s_.directions; ++d) run_layer(run, layer, d, x, y);
      x = y;
    }
  }

  template <class T>
  void run_layer(const Run& run, int64_t layer, int64_t direction, const T* x, T* y) const {
    const int64_t k = layer * s_.directions + direction;
    const DirectedLayer& w = layers_[static_cast<size_t>(k)];
    const auto data = [&](std::optional<size_t> array) { return staging_.data<T>(run, array); };
    T* const projected = data(projected_);
    w.project(x, static_cast<const T*>(data(w.input_weight)), projected);
    const CellRows<const T> weight{data(w.hidden_weight), s_.gates()};
    const CellRows<T> hidden{data(hidden_), s_.gates()};
    share_batch([&](int64_t begin, int64_t end) {
      CellRows<const T> h = state<const T>(data(h_), k), c = state<const T>(data(c_), k);
      const CellRows<T> last_h = state(data(last_h_), k), last_c = state(data(last_c_), k);
      for (int64_t number = 0; number < s_.steps; ++number) {
        const int64_t t = direction == 0 ? number : s_.steps - 1 - number;
        multiply_rows<T>(recurrent_, h, weight, hidden.data, begin, end);
        const auto kept = [&](size_t list) {
          return w.kept.empty() ? CellRows<T>{} : step(data(w.kept[list]), t, s_.size);
        };
        const CellRows<const T> input = step<const T>(projected, t, s_.gates());
        const CellRows<T> next = step(y, t, s_.width(), direction * s_.size);
        if (s_.cell == Cell::kLstm) {
          const CellRows<T> next_c = w.kept.empty() ? last_c : kept(LstmKept::kC);
          run_step(LstmStep<T>{s_.size,
                               input,
                               hidden,
                               data(w.input_bias),
                               data(w.hidden_bias),
                               c,
                               next_c,
                               next,
                               {kept(LstmKept::kI), kept(LstmKept::kF), kept(LstmKept::kJ),
                                kept(LstmKept::kO)},
                               kept(LstmKept::kTanhC),
                               kept(LstmKept::kH)},
                   begin, end);
          c = next_c;
        } else {
          run_step(GruStep<T>{s_.size,
                              input,
                              hidden,
                              data(w.input_bias),
                              data(w.hidden_bias),
                              h,
                              next,
                              {kept(GruKept::kR), kept(GruKept::kZ), kept(GruKept::kN),
                               kept(GruKept::kHiddenN)},
                              kept(GruKept::kH)},
                   begin, end);
        }
        h = next;
      }
      copy_rows(h, last_h, begin, end);
      if (s_.cell == Cell::kLstm) copy_rows(c, last_c, begin, end);
    });
  }

  size_t input_, output_, h_, last_h_;
  std::optional<size_t> c_ = {}, last_c_ = {};
  MatmulProblem recurrent_;
  size_t projected_, hidden_;
  std::array<size_t, 2> between_;
  std::vector<DirectedLayer> layers_;
};

}  // namespace

Elements exchanged(const Arguments& arguments, size_t tensor) {
  Elements elements(arguments, tensor);
  Dims shape = arguments.shape(tensor), strides = arguments.strides(tensor);
  std::swap(shape[0], shape[1]);
  std::swap(strides[0], strides[1]);
  elements.index = StridedIndex(shape, strides);
  return elements;
}

Plan plan_layers(const Arguments& arguments, const LayerSizes& sizes, const LayerTensors& tensors) {
  return LayersForward::plan(std::make_shared<const LayersForward>(arguments, sizes, tensors));
}

}  // namespace aclgrad::ops
