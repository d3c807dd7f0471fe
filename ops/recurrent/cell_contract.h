// SPDX-License-Identifier: Apache-2.0
// Elements of recurrent cells and of their gradients, as they must be.
#pragma once

#include <array>
#include <cmath>

#include "aclgrad_contract/numbers.h"
#include "ops/contract/dense.h"

namespace aclgrad::contract {

// A number, and the scale on which its errors count.
struct Scaled {
  Number value = 0;
  Number scale = 0;

  template <bool kMagnitude>
  Number of() const {
    return kMagnitude ? scale : value;
  }
};
inline Scaled exactly(Number x) { return {x, std::abs(x)}; }

inline Scaled operator+(const Scaled& a, const Scaled& b) {
  return {a.value + b.value, a.scale + b.scale};
}
inline Scaled operator-(const Scaled& a, const Scaled& b) {
  return {a.value - b.value, a.scale + b.scale};
}
inline Scaled operator*(const Scaled& a, const Scaled& b) {
  return {a.value * b.value, a.scale * b.scale};
}

// Of sums whose errors are on that scale: their own errors, and those that come through.
inline Scaled sigmoid_of(const Scaled& z) {
  const Number s = 1 / (1 + std::exp(-z.value));
  return {s, s * (1 + (1 - s) * z.scale)};
}
inline Scaled tanh_of(const Scaled& z) {
  const Number t = std::tanh(z.value);
  return {t, std::abs(t) + (1 - t * t) * z.scale};
}

struct LstmElement {
  std::array<Scaled, 4> gates;  // i, f, g, o
  Scaled c = {}, tanh_c = {}, h = {};
};
// Of sums for the gates.
inline LstmElement lstm_element(const std::array<Scaled, 4>& sums, const Scaled& c_before) {
  LstmElement e{{sigmoid_of(sums[0]), sigmoid_of(sums[1]), tanh_of(sums[2]), sigmoid_of(sums[3])}};
  e.c = e.gates[1] * c_before + e.gates[0] * e.gates[2];
  e.tanh_c = tanh_of(e.c);
  e.h = e.gates[3] * e.tanh_c;
  return e;
}

struct LstmSlopes {
  std::array<Scaled, 4> of_gates;
  Scaled of_c_before;
};
// `slope` is that of tanh(c).
inline LstmSlopes lstm_slopes(const Scaled& of_h, const Scaled& of_c,
                              const std::array<Number, 4>& gates, Number c_before, Number tanh_c,
                              const Scaled& slope) {
  const auto [i, f, g, o] = gates;
  const Scaled dc = of_c + of_h * exactly(o) * slope;
  return {{dc * exactly(g * i * (1 - i)), dc * exactly(c_before * f * (1 - f)),
           dc * exactly(i * (1 - g * g)), of_h * exactly(tanh_c * o * (1 - o))},
          dc * exactly(f)};
}

struct GruElement {
  std::array<Scaled, 4> kept;  // r, z, n, and the hidden side of n
  Scaled h = {};
};
// Of the two sides' sums for r, z and n.
inline GruElement gru_element(const std::array<Scaled, 3>& input,
                              const std::array<Scaled, 3>& hidden, const Scaled& h_before) {
  const Scaled r = sigmoid_of(input[0] + hidden[0]), z = sigmoid_of(input[1] + hidden[1]);
  const Scaled n = tanh_of(input[2] + r * hidden[2]);
  return {{r, z, n, hidden[2]}, (exactly(1) - z) * n + z * h_before};
}

struct GruSlopes {
  std::array<Scaled, 3> of_input, of_hidden;
  Scaled of_h_before;  // without the products'
};
inline GruSlopes gru_slopes(const Scaled& of_h, const std::array<Number, 4>& kept,
                            Number h_before) {
  const auto [r, z, n, hidden] = kept;
  const Scaled dn = of_h * exactly((1 - z) * (1 - n * n));
  const Scaled dz = of_h * (exactly(h_before) - exactly(n)) * exactly(z * (1 - z));
  const Scaled dr = dn * exactly(hidden * r * (1 - r));
  return {{dr, dz, dn}, {dr, dz, dn * exactly(r)}, of_h * exactly(z)};
}

}  // namespace aclgrad::contract
