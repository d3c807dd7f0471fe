// SPDX-License-Identifier: Apache-2.0
#include "ops/recurrent/layers.h"

#include <utility>

#include "ops/recurrent/layers_work.h"

namespace aclgrad::ops {
namespace {

// A slot is a step of the sequence in the order in which gradients go through it.
class LayersBackward : private Layers {
 public:
  LayersBackward(const Arguments& arguments, const LayerSizes& sizes, const LayerGradients& tensors)
      : Layers(sizes),
        input_(staging_.input(tensors.input)),
        h_(staging_.input(arguments, tensors.h)),
        of_input_(staging_.output(tensors.of_input)),
        of_h_(staging_.output(arguments, tensors.of_h)),
        recurrent_(dense_problem(s_.compute, s_.batch, s_.size, s_.gates(), false, false)),
        widest_(s_.layers > 1 ? std::max(s_.in, s_.width()) : s_.in),
        x_slots_(scratch(s_.rows(), widest_)),
        of_x_slots_(scratch(s_.rows(), widest_)),
        h_slots_(scratch(s_.rows(), s_.size)),
        gate_slots_(scratch(s_.rows(), s_.gates())),
        carried_(scratch(s_.batch, s_.size)),
        between_(scratch_between()) {
    if (tensors.of_output) of_output_ = staging_.input(*tensors.of_output);
    if (tensors.of_last_h) of_last_h_ = staging_.input(arguments, *tensors.of_last_h);
    if (tensors.of_last_c) of_last_c_ = staging_.input(arguments, *tensors.of_last_c);
    if (s_.cell == Cell::kLstm) {
      c_ = staging_.input(arguments, tensors.c);
      of_c_ = staging_.output(arguments, tensors.of_c);
    } else {
      hidden_slots_ = scratch(s_.rows(), s_.gates());
      passed_ = scratch(s_.batch, s_.size);
    }
    for (int64_t k = 0; k < s_.directed_layers(); ++k) {
      const int64_t in = s_.in_of(k / s_.directions);
      const auto offset = static_cast<size_t>(k) * s_.parameters();
      const size_t first = tensors.of_parameters + offset;
      const StagedMatrix w = matrix(arguments, tensors.parameters + offset);
      DirectedLayer made{
          w.array, staging_.input(arguments, tensors.parameters + offset + 1),
          weight_gradient(arguments, first, in), weight_gradient(arguments, first + 1, s_.size),
          DenseProduct(dense_problem(s_.compute, s_.rows(), in, s_.gates(), false, w.by_columns))};
      if (s_.has_biases) {
        made.of_input_bias = staging_.output(arguments, first + 2);
        made.of_hidden_bias = staging_.output(arguments, first + 3);
      }
      made.kept = inputs(arguments, tensors.kept, k);
      layers_.push_back(std::move(made));
    }
  }

  static Plan plan(std::shared_ptr<const LayersBackward> work) { return plan_of(std::move(work)); }

 private:
  friend Layers;

  static constexpr int64_t kFewColumns = 16;

  // gates^T x, or its transpose where that is how the result lies.
  struct WeightGradient {
    StagedMatrix matrix;
    DenseProduct product;

    template <class T>
    void make(const T* gates, const T* x, T* out) const {
      matrix.by_columns ? product(x, gates, out) : product(gates, x, out);
    }
  };
  struct DirectedLayer {
    size_t input_weight, hidden_weight;
    WeightGradient of_input_weight, of_hidden_weight;
    DenseProduct of_x;
    std::optional<size_t> of_input_bias = {}, of_hidden_bias = {};
    std::vector<size_t> kept = {};
  };

  WeightGradient weight_gradient(const Arguments& arguments, size_t tensor, int64_t in) {
    // A few columns would not fill vectors.
    const bool by_columns = lies_by_columns(arguments, tensor) || in < kFewColumns;
    const int64_t m = by_columns ? in : s_.gates(), n = by_columns ? s_.gates() : in;
    return {
        {staging_.output(by_columns ? exchanged(arguments, tensor) : Elements(arguments, tensor)),
         by_columns},
        DenseProduct(dense_problem(s_.compute, m, n, s_.rows(), true, false))};
  }

  template <class T>
  T* data(const Run& run, std::optional<size_t> array) const {
    return staging_.data<T>(run, array);
  }

  template <class T>
  void run(const Run& run) const {
    const T* of_y = data<T>(run, of_output_);
    for (int64_t layer = s_.layers; layer-- > 0;) {
      T* const of_x =
          data<T>(run, layer == 0 ? of_input_ : between_[static_cast<size_t>(layer % 2)]);
      for (int64_t d = 0; d < s_.directions; ++d) run_layer(run, layer, d, of_y, of_x);
      of_y = of_x;
    }
  }

  int64_t slot(int64_t direction, int64_t t) const { return direction == 0 ? s_.steps - 1 - t : t; }

  // A kept sequence's rows before a step, which at its beginning are a given state's.
  template <class T>
  CellRows<const T> before(const T* sequence, const T* first, int64_t direction, int64_t t) const {
    const int64_t earlier = direction == 0 ? t - 1 : t + 1;
    if (earlier < 0 || earlier == s_.steps) return {first, s_.size};
    return step(sequence, earlier, s_.size);
  }

  // What a layer and its states have read.
  template <class T>
  void fill_slots(const Run& run, int64_t layer, int64_t direction) const {
    const int64_t k = layer * s_.directions + direction, in = s_.in_of(layer);
    const T* const h = data<T>(run, layers_[static_cast<size_t>(k)].kept.back());
    for (int64_t t = 0; t < s_.steps; ++t) {
      T* const x = data<T>(run, x_slots_) + slot(direction, t) * s_.batch * in;
      if (layer == 0) {
        std::copy_n(data<T>(run, input_) + t * s_.batch * in, s_.batch * in, x);
      } else {
        for (int64_t d = 0; d < s_.directions; ++d) {
          const auto lower = static_cast<size_t>((layer - 1) * s_.directions + d);
          const auto from = step<const T>(data<T>(run, layers_[lower].kept.back()), t, s_.size);
          copy_rows(from, {x + d * s_.size, s_.width()}, 0, s_.batch);
        }
      }
      const auto from = before<T>(h, state<const T>(data<T>(run, h_), k).data, direction, t);
      copy_rows(from, step(data<T>(run, h_slots_), slot(direction, t), s_.size), 0, s_.batch);
    }
  }

  template <class T>
  void run_layer(const Run& run, int64_t layer, int64_t direction, const T* of_y, T* of_x) const {
    const int64_t k = layer * s_.directions + direction, in = s_.in_of(layer);
    const DirectedLayer& w = layers_[static_cast<size_t>(k)];
    fill_slots<T>(run, layer, direction);
    const CellRows<T> gates{data<T>(run, gate_slots_), s_.gates()};
    const CellRows<T> hidden =
        hidden_slots_ ? CellRows<T>{data<T>(run, hidden_slots_), s_.gates()} : gates;
    share_batch([&](int64_t begin, int64_t end) {
      walk<T>(run, k, direction, of_y, gates.data, hidden.data, begin, end);
    });
    w.of_input_weight.make(gates.data, data<T>(run, x_slots_),
                           data<T>(run, w.of_input_weight.matrix.array));
    w.of_hidden_weight.make(hidden.data, data<T>(run, h_slots_),
                            data<T>(run, w.of_hidden_weight.matrix.array));
    if (w.of_input_bias) {
      run_step(ColumnSums<T>{s_.rows(), gates, data<T>(run, *w.of_input_bias)}, 0, s_.gates());
      run_step(ColumnSums<T>{s_.rows(), hidden, data<T>(run, *w.of_hidden_bias)}, 0, s_.gates());
    }
    T* const slots = data<T>(run, of_x_slots_);
    w.of_x(gates.data, static_cast<const T*>(data<T>(run, w.input_weight)), slots);
    for (int64_t t = 0; t < s_.steps; ++t) {
      const int64_t count = s_.batch * in;
      const T* const from = slots + slot(direction, t) * count;
      T* const to = of_x + t * count;
      for (int64_t i = 0; i < count; ++i) to[i] = direction == 0 ? from[i] : to[i] + from[i];
    }
  }

  // Back through the steps of some rows.
  template <class T>
  void walk(const Run& run, int64_t k, int64_t direction, const T* of_y, T* gates, T* hidden,
            int64_t begin, int64_t end) const {
    const DirectedLayer& w = layers_[static_cast<size_t>(k)];
    const CellRows<const T> weight{data<T>(run, w.hidden_weight), s_.size};
    const CellRows<T> carried{data<T>(run, carried_), s_.size};
    const CellRows<T> passed{data<T>(run, passed_), s_.size};
    const CellRows<T> of_c_before = state(data<T>(run, of_c_), k);
    CellRows<const T> of_h = state<const T>(data<T>(run, of_last_h_), k), of_passed;
    CellRows<const T> of_c = state<const T>(data<T>(run, of_last_c_), k);
    for (int64_t number = 0; number < s_.steps; ++number) {
      const int64_t t = direction == 0 ? s_.steps - 1 - number : number;
      const auto kept = [&](size_t list) {
        return step<const T>(data<T>(run, w.kept[list]), t, s_.size);
      };
      const auto of_output = step(of_y, t, s_.width(), direction * s_.size);
      const CellRows<T> of_gates = step(gates, number, s_.gates());
      const CellRows<T> of_hidden = step(hidden, number, s_.gates());
      if (s_.cell == Cell::kLstm) {
        const auto c_before = before<T>(data<T>(run, w.kept[LstmKept::kC]),
                                        state<const T>(data<T>(run, c_), k).data, direction, t);
        run_step(LstmGradient<T>{s_.size,
                                 {of_h, of_output},
                                 of_c,
                                 {kept(LstmKept::kI), kept(LstmKept::kF), kept(LstmKept::kJ),
                                  kept(LstmKept::kO)},
                                 c_before,
                                 kept(LstmKept::kTanhC),
                                 of_gates,
                                 of_c_before},
                 begin, end);
        of_c = of_c_before;
      } else {
        const auto h_before = step<const T>(data<T>(run, h_slots_), number, s_.size);
        run_step(GruGradient<T>{s_.size,
                                {of_h, of_output, of_passed},
                                {kept(GruKept::kR), kept(GruKept::kZ), kept(GruKept::kN),
                                 kept(GruKept::kHiddenN)},
                                h_before,
                                of_gates,
                                of_hidden,
                                passed},
                 begin, end);
        of_passed = passed;
      }
      multiply_rows<T>(recurrent_, of_hidden, weight, carried.data, begin, end);
      of_h = carried;
    }
    const CellRows<T> of_h_before = state(data<T>(run, of_h_), k);
    copy_rows(of_h, of_h_before, begin, end);
    if (of_passed.data != nullptr) {
      for (int64_t row = begin; row < end; ++row) {
        for (int64_t j = 0; j < s_.size; ++j) of_h_before[row][j] += of_passed[row][j];
      }
    }
    if (s_.cell == Cell::kLstm) copy_rows(of_c, of_c_before, begin, end);
  }

  size_t input_, h_, of_input_, of_h_;
  std::optional<size_t> c_ = {}, of_c_ = {}, of_output_ = {}, of_last_h_ = {}, of_last_c_ = {};
  MatmulProblem recurrent_;
  int64_t widest_;  // of what a layer reads
  size_t x_slots_, of_x_slots_, h_slots_, gate_slots_, carried_;
  std::optional<size_t> hidden_slots_ = {}, passed_ = {};  // of a GRU
  std::array<size_t, 2> between_;
  std::vector<DirectedLayer> layers_;
};

}  // namespace

Plan plan_layer_gradients(const Arguments& arguments, const LayerSizes& sizes,
                          const LayerGradients& tensors) {
  return LayersBackward::plan(std::make_shared<const LayersBackward>(arguments, sizes, tensors));
}

}  // namespace aclgrad::ops
