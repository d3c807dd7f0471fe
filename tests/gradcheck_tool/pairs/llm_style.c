/* SPDX-License-Identifier: Apache-2.0 */
/* As in programs that train a language model in plain C: float, sizes by letters, nothing is const
 * in some, gradients that are added to what is there. A definition is read as a prototype is. */
#include <math.h>
#include <string.h>

void layernorm_forward(float* out, float* mean, float* rstd, float* inp, float* weight, float* bias,
                       int B, int T, int C) {
  for (int row = 0; row < B * T; ++row, inp += C, out += C) {
    float m = 0, v = 0;
    for (int i = 0; i < C; ++i) m += inp[i] / C;
    for (int i = 0; i < C; ++i) v += (inp[i] - m) * (inp[i] - m) / C;
    mean[row] = m;
    rstd[row] = 1 / sqrtf(v + 1e-5f);
    for (int i = 0; i < C; ++i) out[i] = (inp[i] - m) * rstd[row] * weight[i] + bias[i];
  }
}

static void layernorm(float* dinp, float* dweight, float* dbias, float* dout, float* inp,
                      float* weight, float* mean, float* rstd, int rows, int C, int is_right) {
  for (int row = 0; row < rows; ++row, inp += C, dinp += C, dout += C) {
    float sum = 0, product = 0;
    for (int i = 0; i < C; ++i) {
      const float x = (inp[i] - mean[row]) * rstd[row];
      sum += weight[i] * dout[i] / C;
      product += weight[i] * dout[i] * x / C;
      dbias[i] += dout[i];
      dweight[i] += x * dout[i];
    }
    for (int i = 0; i < C; ++i) {
      const float x = (inp[i] - mean[row]) * rstd[row];
      dinp[i] += (weight[i] * dout[i] - (is_right ? sum : 0) - x * product) * rstd[row];
    }
  }
}
void layernorm_backward(float* dinp, float* dweight, float* dbias, float* dout, float* inp,
                        float* weight, float* mean, float* rstd, int B, int T, int C) {
  layernorm(dinp, dweight, dbias, dout, inp, weight, mean, rstd, B * T, C, 1);
}
/* Without the mean of dout. */
void layernorm_backward_wrong(float* dinp, float* dweight, float* dbias, float* dout, float* inp,
                              float* weight, float* mean, float* rstd, int B, int T, int C) {
  layernorm(dinp, dweight, dbias, dout, inp, weight, mean, rstd, B * T, C, 0);
}

void matmul_forward(float* out, const float* inp, const float* weight, const float* bias, int B,
                    int T, int C, int OC) {
  for (int row = 0; row < B * T; ++row) {
    for (int o = 0; o < OC; ++o) {
      float sum = bias[o];
      for (int i = 0; i < C; ++i) sum += inp[row * C + i] * weight[o * C + i];
      out[row * OC + o] = sum;
    }
  }
}
static void matmul(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp,
                   const float* weight, int rows, int C, int OC, int is_right) {
  for (int row = 0; row < rows; ++row) {
    for (int o = 0; o < OC; ++o) {
      const float d = dout[row * OC + o];
      dbias[o] = is_right ? dbias[o] + d : d;
      for (int i = 0; i < C; ++i) {
        dinp[row * C + i] += d * weight[o * C + i];
        dweight[o * C + i] += d * inp[row * C + i];
      }
    }
  }
}
void matmul_backward(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp,
                     const float* weight, int B, int T, int C, int OC) {
  matmul(dinp, dweight, dbias, dout, inp, weight, B * T, C, OC, 1);
}
/* Overwrites dbias. */
void matmul_backward_wrong(float* dinp, float* dweight, float* dbias, const float* dout,
                           const float* inp, const float* weight, int B, int T, int C, int OC) {
  matmul(dinp, dweight, dbias, dout, inp, weight, B * T, C, OC, 0);
}

void encoder_forward(float* out, const int* inp, const float* wte, const float* wpe, int B, int T,
                     int C) {
  for (int b = 0; b < B; ++b) {
    for (int t = 0; t < T; ++t) {
      for (int i = 0; i < C; ++i) {
        out[(b * T + t) * C + i] = wte[inp[b * T + t] * C + i] + wpe[t * C + i];
      }
    }
  }
}
void encoder_backward(float* dwte, float* dwpe, const float* dout, const int* inp, int B, int T,
                      int C) {
  for (int b = 0; b < B; ++b) {
    for (int t = 0; t < T; ++t) {
      for (int i = 0; i < C; ++i) {
        dwte[inp[b * T + t] * C + i] += dout[(b * T + t) * C + i];
        dwpe[t * C + i] += dout[(b * T + t) * C + i];
      }
    }
  }
}

void residual_forward(float* out, float* inp1, float* inp2, int N) {
  for (int i = 0; i < N; ++i) out[i] = inp1[i] + inp2[i];
}
void residual_backward(float* dinp1, float* dinp2, float* dout, int N) {
  for (int i = 0; i < N; ++i) {
    dinp1[i] += dout[i];
    dinp2[i] += dout[i];
  }
}
