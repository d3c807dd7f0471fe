/* SPDX-License-Identifier: Apache-2.0 */
/* As in detectors in plain C: nothing is const, work is done in place, gradients are called delta.
 */
#include <math.h>

typedef enum { LOGISTIC, LEAKY } ACTIVATION;

/* In place; the gradient is multiplied by that of the activation, in place. */
void activate_array(float* x, const int n, const ACTIVATION a) {
  for (int i = 0; i < n; ++i) {
    x[i] = a == LOGISTIC ? 1 / (1 + expf(-x[i])) : x[i] > 0 ? x[i] : 0.1f * x[i];
  }
}
void gradient_array(const float* x, const int n, const ACTIVATION a, float* delta) {
  for (int i = 0; i < n; ++i) {
    delta[i] *= a == LOGISTIC ? x[i] * (1 - x[i]) : x[i] > 0 ? 1 : 0.1f;
  }
}
/* x is taken for what was before. */
void gradient_array_wrong(const float* x, const int n, const ACTIVATION a, float* delta) {
  for (int i = 0; i < n; ++i) {
    const float y = 1 / (1 + expf(-x[i]));
    delta[i] *= a == LOGISTIC ? y * (1 - y) : x[i] > 0 ? 1 : 0.1f;
  }
}

void softmax(float* input, int n, float temp, float* output) {
  float sum = 0, largest = input[0];
  for (int i = 1; i < n; ++i) largest = fmaxf(largest, input[i]);
  for (int i = 0; i < n; ++i) sum += output[i] = expf((input[i] - largest) / temp);
  for (int i = 0; i < n; ++i) output[i] /= sum;
}
void backward_softmax(float* output, float* delta, int n, float temp, float* input_delta) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += output[i] * delta[i];
  for (int i = 0; i < n; ++i) input_delta[i] += output[i] * (delta[i] - sum) / temp;
}

/* In place, and adds. */
void add_bias(float* output, float* biases, int batch, int n, int size) {
  for (int i = 0; i < batch * n * size; ++i) output[i] += biases[i / size % n];
}
void backward_bias(float* bias_updates, float* delta, int batch, int n, int size) {
  for (int i = 0; i < batch * n * size; ++i) bias_updates[i / size % n] += delta[i];
}
