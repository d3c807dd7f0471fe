/* SPDX-License-Identifier: Apache-2.0 */
/* As in detectors in plain C: nothing is const, work is done in place, gradients are called delta.
 */
#ifndef LAYER_STYLE_H
#define LAYER_STYLE_H

typedef enum { LOGISTIC, LEAKY } ACTIVATION;

/* In place; the gradient is multiplied by that of the activation, in place. */
void activate_array(float* x, const int n, const ACTIVATION a);
void gradient_array(const float* x, const int n, const ACTIVATION a, float* delta);
/* x is taken for what was before. */
void gradient_array_wrong(const float* x, const int n, const ACTIVATION a, float* delta);

void softmax(float* input, int n, float temp, float* output);
void backward_softmax(float* output, float* delta, int n, float temp, float* input_delta);

/* In place, and adds. */
void add_bias(float* output, float* biases, int batch, int n, int size);
void backward_bias(float* bias_updates, float* delta, int batch, int n, int size);

#endif
