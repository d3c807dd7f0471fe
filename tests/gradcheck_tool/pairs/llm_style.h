/* SPDX-License-Identifier: Apache-2.0 */
/* As in programs that train a language model in plain C: float, sizes by letters, gradients that
 * are added to what is there. */
#ifndef LLM_STYLE_H
#define LLM_STYLE_H
#ifdef __cplusplus
extern "C" {
#endif

void layernorm_forward(float* out, float* mean, float* rstd, float* inp, float* weight, float* bias,
                       int B, int T, int C);
void layernorm_backward(float* dinp, float* dweight, float* dbias, float* dout, float* inp,
                        float* weight, float* mean, float* rstd, int B, int T, int C);
/* Without the mean of dout. */
void layernorm_backward_wrong(float* dinp, float* dweight, float* dbias, float* dout, float* inp,
                              float* weight, float* mean, float* rstd, int B, int T, int C);

void matmul_forward(float* out, const float* inp, const float* weight, const float* bias, int B,
                    int T, int C, int OC);
void matmul_backward(float* dinp, float* dweight, float* dbias, const float* dout, const float* inp,
                     const float* weight, int B, int T, int C, int OC);
/* Overwrites dbias. */
void matmul_backward_wrong(float* dinp, float* dweight, float* dbias, const float* dout,
                           const float* inp, const float* weight, int B, int T, int C, int OC);

void encoder_forward(float* out, const int* inp, const float* wte, const float* wpe, int B, int T,
                     int C);
void encoder_backward(float* dwte, float* dwpe, const float* dout, const int* inp, int B, int T,
                      int C);

void residual_forward(float* out, float* inp1, float* inp2, int N);
void residual_backward(float* dinp1, float* dinp2, float* dout, int N);

#ifdef __cplusplus
}
#endif
#endif
