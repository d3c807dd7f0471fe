// SPDX-License-Identifier: Apache-2.0
// What recurrent layers and their gradients must give, element by element.
#include "ops/recurrent/layers_contract.h"

namespace aclgrad::contract {
namespace {

template <bool kMagnitude>
Array dense_of(const ScaledArray& from, const Shape& shape) {
  Array to{shape, {}};
  for (const Scaled& each : from) to.values.push_back(each.of<kMagnitude>());
  return to;
}

// ---- Forward ------------------------------------------------------------------------------------

// x W^T + b of a row, for gate k of unit j.
Scaled gate_sum(const Scaled* x, size_t count, const Array& weight, const Array* bias, size_t row) {
  Scaled sum = bias == nullptr ? Scaled{} : exactly(bias->values[row]);
  for (size_t l = 0; l < count; ++l) sum = sum + x[l] * exactly(weight.values[row * count + l]);
  return sum;
}

// Results: output, hy, cy of an LSTM, and what is kept, list by list.
template <bool kMagnitude>
Arrays layers_forward(const RecurrentKind& kind, const Arguments& a, const Arrays& in) {
  const RecurrentCall p(a, kind);
  const bool is_lstm = kind.gates == 4;
  const Array& h0 = *find_given(a, in, is_lstm ? "hx[0]" : "hx");
  const Array* const c0 = find_given(a, in, "hx[1]");
  const size_t state = p.batch * p.size, all = p.steps * state;
  ScaledArray x = p.read(*find_given(a, in, "input"), p.in), hy, cy;
  std::vector<std::vector<ScaledArray>> kept(kind.kept.size());
  for (size_t layer = 0; layer < p.layers; ++layer) {
    const size_t width = p.directions * p.size, columns = p.in_of(layer);
    ScaledArray y(p.steps * p.batch * width);
    for (size_t d = 0; d < p.directions; ++d) {
      const size_t directed = layer * p.directions + d;
      std::array<const Array*, 4> params{};
      for (size_t k = 0; k < p.each; ++k) {
        params[k] = find_given(a, in, member_of("params", directed * p.each + k));
      }
      ScaledArray h, c;
      for (size_t i = directed * state; i < (directed + 1) * state; ++i) {
        h.push_back(exactly(h0.values[i]));
        if (is_lstm) c.push_back(exactly(c0->values[i]));
      }
      for (auto& list : kept) list.emplace_back(all);
      for (size_t number = 0; number < p.steps; ++number) {
        const size_t t = p.time(d, number);
        const ScaledArray before = h;
        for (size_t n = 0; n < state; ++n) {
          const size_t b = n / p.size, j = n % p.size, at = t * state + n;
          std::array<Scaled, 4> input, hidden, sums;
          for (size_t k = 0; k < kind.gates; ++k) {
            const size_t row = k * p.size + j;
            input[k] =
                gate_sum(&x[(t * p.batch + b) * columns], columns, *params[0], params[2], row);
            hidden[k] = gate_sum(&before[b * p.size], p.size, *params[1], params[3], row);
            sums[k] = input[k] + hidden[k];
          }
          const auto keep = [&](size_t list, const Scaled& value) {
            kept[list][directed][at] = value;
          };
          if (is_lstm) {
            const LstmElement e = lstm_element(sums, c[n]);
            keep(0, e.gates[0]), keep(1, e.gates[2]), keep(2, e.gates[1]), keep(3, e.gates[3]);
            keep(4, e.h), keep(5, e.c), keep(6, e.tanh_c);
            c[n] = e.c, h[n] = e.h;
          } else {
            const GruElement e = gru_element({input[0], input[1], input[2]},
                                             {hidden[0], hidden[1], hidden[2]}, before[n]);
            for (size_t k = 0; k < 4; ++k) keep(k, e.kept[k]);
            keep(4, e.h);
            h[n] = e.h;
          }
          y[(t * p.batch + b) * width + d * p.size + j] = h[n];
        }
      }
      hy.insert(hy.end(), h.begin(), h.end());
      cy.insert(cy.end(), c.begin(), c.end());
    }
    x = std::move(y);
  }
  Arrays results = {p.written<kMagnitude>(x, p.directions * p.size),
                    dense_of<kMagnitude>(hy, p.state())};
  if (is_lstm) results.push_back(dense_of<kMagnitude>(cy, p.state()));
  const bool trains = a.number("train") != 0;
  for (const auto& list : kept) {
    for (const ScaledArray& each : list) {
      results.push_back(trains ? dense_of<kMagnitude>(each, p.kept()) : Array{p.kept(), {}});
    }
  }
  return results;
}

// ---- Gradients ----------------------------------------------------------------------------------

// Results: gradInput, gradHx, gradCx of an LSTM, gradParams.
template <bool kMagnitude>
Arrays layers_backward(const RecurrentKind& kind, const Arguments& a, const Arrays& in) {
  const RecurrentCall p(a, kind);
  const bool is_lstm = kind.gates == 4;
  const auto given = [&](const std::string& name) { return find_given(a, in, name); };
  const size_t state = p.batch * p.size, width = p.directions * p.size;
  const Array& h0 = *given(is_lstm ? "hx[0]" : "hx");
  const Array* const c0 = given("hx[1]");
  const auto of_state = [&](const Array* from, size_t directed) {
    ScaledArray to(state);
    for (size_t n = 0; from != nullptr && n < state; ++n) {
      to[n] = exactly(from->values[directed * state + n]);
    }
    return to;
  };
  const Array* const of_output = given(is_lstm ? "gradYOptional" : "gradY");
  ScaledArray of_y(p.steps * p.batch * width);
  if (of_output != nullptr) of_y = p.read(*of_output, width);
  std::vector<ScaledArray> of_params(p.directed_layers() * p.each);
  ScaledArray of_hx(p.directed_layers() * state), of_cx(p.directed_layers() * state), of_x;
  for (size_t layer = p.layers; layer-- > 0;) {
    const size_t columns = p.in_of(layer);
    // What the layer has read.
    ScaledArray x = p.read(*given("input"), p.in);
    if (layer > 0) {
      x.assign(p.steps * p.batch * width, {});
      for (size_t d = 0; d < p.directions; ++d) {
        const Array& h = *given(member_of("h", (layer - 1) * p.directions + d));
        for (size_t i = 0; i < h.values.size(); ++i) {
          x[i / p.size * width + d * p.size + i % p.size] = exactly(h.values[i]);
        }
      }
    }
    of_x.assign(p.steps * p.batch * columns, {});
    for (size_t d = 0; d < p.directions; ++d) {
      const size_t directed = layer * p.directions + d;
      const auto member = [&](const char* list) { return given(member_of(list, directed)); };
      const Array *const of_input = given(member_of("params", directed * p.each)),
                         *const of_hidden = given(member_of("params", directed * p.each + 1));
      std::array<const Array*, 4> gates{};
      std::ranges::transform(
          is_lstm ? std::array{"i", "f", "j", "o"} : std::array{"r", "z", "n", "hn"}, gates.begin(),
          member);
      const Array *const h = member("h"), *const c = member("c"), *const tanh_c = member("tanhc");
      ScaledArray* const slopes = &of_params[directed * p.each];
      for (size_t k = 0; k < p.each; ++k) {
        slopes[k].resize(static_cast<size_t>(count_of(p.parameter(directed * p.each + k))));
      }
      ScaledArray of_h = of_state(given(is_lstm ? "gradHyOptional" : "gradHy"), directed);
      ScaledArray of_c = of_state(is_lstm ? given("gradCyOptional") : nullptr, directed);
      for (size_t number = p.steps; number-- > 0;) {
        const size_t t = p.time(d, number);
        const auto kept = [&](const Array* list, size_t n) { return list->values[t * state + n]; };
        const auto before = [&](const Array& first, const Array* list, size_t n) {
          return number == 0 ? first.values[directed * state + n]
                             : list->values[p.time(d, number - 1) * state + n];
        };
        ScaledArray next(state);
        for (size_t n = 0; n < state; ++n) {
          const size_t b = n / p.size, j = n % p.size;
          const Scaled dh = of_h[n] + of_y[(t * p.batch + b) * width + d * p.size + j];
          std::array<Scaled, 4> input, hidden;
          const auto gate = [&](size_t k) { return kept(gates[k], n); };
          if (is_lstm) {
            const Number tanh_n = kept(tanh_c, n);
            const LstmSlopes s =
                lstm_slopes(dh, of_c[n], {gate(0), gate(1), gate(2), gate(3)}, before(*c0, c, n),
                            tanh_n, exactly(1 - tanh_n * tanh_n));
            input = hidden = s.of_gates;
            of_c[n] = s.of_c_before;
          } else {
            const GruSlopes s =
                gru_slopes(dh, {gate(0), gate(1), gate(2), gate(3)}, before(h0, h, n));
            std::ranges::copy(s.of_input, input.begin());
            std::ranges::copy(s.of_hidden, hidden.begin());
            next[n] = next[n] + s.of_h_before;
          }
          for (size_t k = 0; k < kind.gates; ++k) {
            const size_t row = k * p.size + j;
            const auto add = [](Scaled& sum, const Scaled& term) { sum = sum + term; };
            for (size_t l = 0; l < columns; ++l) {
              const size_t at = (t * p.batch + b) * columns + l, w = row * columns + l;
              add(of_x[at], input[k] * exactly(of_input->values[w]));
              add(slopes[0][w], input[k] * x[at]);
            }
            for (size_t l = 0; l < p.size; ++l) {
              const size_t w = row * p.size + l;
              add(next[b * p.size + l], hidden[k] * exactly(of_hidden->values[w]));
              add(slopes[1][w], hidden[k] * exactly(before(h0, h, b * p.size + l)));
            }
            if (p.each == 4) {
              add(slopes[2][row], input[k]);
              add(slopes[3][row], hidden[k]);
            }
          }
        }
        of_h = std::move(next);
      }
      std::ranges::copy(of_h, of_hx.begin() + static_cast<std::ptrdiff_t>(directed * state));
      std::ranges::copy(of_c, of_cx.begin() + static_cast<std::ptrdiff_t>(directed * state));
    }
    of_y = of_x;
  }
  Arrays results = {p.written<kMagnitude>(of_x, p.in), dense_of<kMagnitude>(of_hx, p.state())};
  if (is_lstm) results.push_back(dense_of<kMagnitude>(of_cx, p.state()));
  for (size_t k = 0; k < of_params.size(); ++k) {
    results.push_back(dense_of<kMagnitude>(of_params[k], p.parameter(k)));
  }
  return results;
}

}  // namespace

Arrays recurrent_results(const RecurrentKind& kind, bool magnitude, const Arguments& a,
                         const Arrays& in) {
  return magnitude ? layers_forward<true>(kind, a, in) : layers_forward<false>(kind, a, in);
}
Arrays recurrent_gradients(const RecurrentKind& kind, bool magnitude, const Arguments& a,
                           const Arrays& in) {
  return magnitude ? layers_backward<true>(kind, a, in) : layers_backward<false>(kind, a, in);
}

}  // namespace aclgrad::contract
