// SPDX-License-Identifier: Apache-2.0
// One step of recurrent cells, and its gradient: what is left when the products are done.
//
// Tensors are dense rows of float or double, a row for each sequence of the batch. The gates of a
// row lie side by side, `size` numbers each: i, f, g, o of an LSTM (the C
// interface calls g j), r, z, n of a GRU.
#pragma once

#include <array>
#include <cstdint>
#include <variant>

namespace aclgrad::ops {

// Rows that are `stride` elements apart; none where data is null.
template <class T>
struct CellRows {
  T* data = nullptr;
  int64_t stride = 0;

  T* operator[](int64_t row) const { return data + row * stride; }
  operator CellRows<const T>() const { return {data, stride}; }
};

// c' = f c + i g and h' = o tanh(c'), with i, f and o = sigmoid and g = tanh of
// input + input_bias + hidden + hidden_bias.
template <class T>
struct LstmStep {
  int64_t size;
  CellRows<const T> input, hidden;
  const T* input_bias;  // both or none
  const T* hidden_bias;
  CellRows<const T> c_before;  // may be c
  CellRows<T> c, h;
  std::array<CellRows<T>, 4> gates = {};  // what is kept; none, or all of them
  CellRows<T> tanh_c = {};                // none unless gates are kept
  CellRows<T> h_again = {};
};

// Gradients of the gates, before their functions, and of c_before. Those that arrive add up.
template <class T>
struct LstmGradient {
  int64_t size;
  std::array<CellRows<const T>, 2> of_h;  // each may be none
  CellRows<const T> of_c;
  std::array<CellRows<const T>, 4> gates;
  CellRows<const T> c_before;
  CellRows<const T> tanh_c;
  CellRows<T> of_gates;
  CellRows<T> of_c_before;  // may be of_c
  bool takes_tanh = false;  // tanh_c has c
};

// h' = n + z (h - n), with r and z = sigmoid of the sums of input and hidden with their biases, and
// n = tanh(input + r hidden).
template <class T>
struct GruStep {
  int64_t size;
  CellRows<const T> input, hidden;
  const T* input_bias;  // both or none
  const T* hidden_bias;
  CellRows<const T> h_before;
  CellRows<T> h;
  std::array<CellRows<T>, 4> kept = {};  // r, z, n, and hidden's part of n; none, or all of them
  CellRows<T> h_again = {};
};

// Gradients of the gates on the side of the input and of h_before, and of h_before without the
// latter's product.
template <class T>
struct GruGradient {
  int64_t size;
  std::array<CellRows<const T>, 3> of_h;  // each may be none
  std::array<CellRows<const T>, 4> kept;
  CellRows<const T> h_before;
  CellRows<T> of_input, of_hidden;
  CellRows<T> of_h_before;  // may be one of of_h
};

// Sums over `rows` rows, first to last; here [begin, end) are columns.
template <class T>
struct ColumnSums {
  int64_t rows;
  CellRows<const T> of;
  T* sums;
};

using CellStep =
    std::variant<LstmStep<float>, LstmStep<double>, LstmGradient<float>, LstmGradient<double>,
                 GruStep<float>, GruStep<double>, GruGradient<float>, GruGradient<double>,
                 ColumnSums<float>, ColumnSums<double>>;

// Rows [begin, end), on the calling thread.
void run_step(const CellStep& step, int64_t begin, int64_t end);

}  // namespace aclgrad::ops
