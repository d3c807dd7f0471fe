/* SPDX-License-Identifier: Apache-2.0 */
/*
 * c_interface RIGHT WRONG: gradcheck from a C program, on a library that is right and on one that
 * is wrong. The program needs neither to link.
 */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "aclgrad/gradcheck/c.h"

static int failures = 0;

static void expect(int condition, const char* what) {
  if (condition) return;
  printf("FAILED: %s; the last message is '%s'\n", what, aclgradGradcheckMessage());
  failures = 1;
}

static int says(const char* text, const char* part) {
  return text != NULL && strstr(text, part) != NULL;
}

static void expect_refused(int status, const char* part) {
  expect(status == ACLGRAD_GRADCHECK_USAGE, part);
  expect(says(aclgradGradcheckMessage(), part), part);
}

static void right(const char* library) {
  aclgradGradcheck* check = NULL;
  expect(aclgradGradcheckOpen(library, &check) == ACLGRAD_GRADCHECK_RIGHT, "opening");
  expect(aclgradGradcheckReport(check, "text") == NULL, "no report before a run");
  expect(aclgradGradcheckSet(check, "dtype", "f32,bf16") == 0, "a list of dtypes");
  expect(aclgradGradcheckSet(check, "alpha", "1.3") == 0, "an attribute");
  expect_refused(aclgradGradcheckSet(check, "alpha", "1,3"), "1,3 is not a finite number");
  expect(aclgradGradcheckRun(check, "elu") == ACLGRAD_GRADCHECK_RIGHT, "elu");
  expect(says(aclgradGradcheckReport(check, "text"), "alpha=1.3"), "the attribute's value");
  expect(says(aclgradGradcheckReport(check, "json"), "\"status\": 0"), "JSON");
  expect(says(aclgradGradcheckReport(check, "markdown"), "| elu |"), "Markdown");
  expect(says(aclgradGradcheckReport(check, "html"), "<svg"), "HTML");
  expect(aclgradGradcheckReport(check, "pdf") == NULL, "no other format");
  expect(says(aclgradGradcheckMessage(), "text, json, markdown or html, not 'pdf'"), "formats");

  expect_refused(aclgradGradcheckRun(check, "selu"), "--alpha has no effect");
  expect(aclgradGradcheckSet(check, "alpha", NULL) == 0, "a setting taken back");
  expect(aclgradGradcheckRun(check, "selu,relu") == ACLGRAD_GRADCHECK_RIGHT, "two operators");
  expect_refused(aclgradGradcheckRun(check, "unheard_of"), "no operator is called 'unheard_of'");
  expect_refused(aclgradGradcheckSet(check, "dtype", "f31"), "--dtype: no dtype is called 'f31'");
  expect_refused(aclgradGradcheckSet(check, "shape", "4by6"), "a shape is written as 4x6");
  expect_refused(aclgradGradcheckSet(check, "colour", "red"), "there is no such setting");
  expect_refused(aclgradGradcheckSet(check, "seed", "-1"), "'-1' is not a whole number");
  expect_refused(aclgradGradcheckSet(check, "keep-dims", "maybe"), "neither true nor false");
  expect_refused(aclgradGradcheckSet(check, "check", "all"), "no check is called 'all'");
  expect_refused(aclgradGradcheckSet(check, NULL, "1"), "option is null");
  aclgradGradcheckClose(check);
}

static void wrong(const char* library) {
  aclgradGradcheck* check = NULL;
  expect(aclgradGradcheckOpen(library, &check) == ACLGRAD_GRADCHECK_RIGHT, "opening");
  expect(aclgradGradcheckSet(check, "check", "values") == 0, "which checks");
  expect(aclgradGradcheckSet(check, "dtype", "float32") == 0, "a dtype");
  expect(aclgradGradcheckRun(check, "selu") == ACLGRAD_GRADCHECK_WRONG, "selu without lambda");
  expect(says(aclgradGradcheckReport(check, "text"), "reproduce: aclgrad-gradcheck --op selu"),
         "the command");
  aclgradGradcheckClose(check);
}

static void unusable(void) {
  aclgradGradcheck* check = NULL;
  expect(aclgradGradcheckOpen("libm.so.6", &check) == ACLGRAD_GRADCHECK_LIBRARY && check == NULL,
         "a library without a runtime");
  expect(says(aclgradGradcheckMessage(), "has no function aclInit"), "what it lacks");
  expect(aclgradGradcheckOpen(NULL, &check) == ACLGRAD_GRADCHECK_RIGHT, "the process");
  expect(aclgradGradcheckRun(check, "silu") == ACLGRAD_GRADCHECK_LIBRARY, "without such functions");
  aclgradGradcheckClose(check);
  expect(aclgradGradcheckOpen("./none.so", &check) == ACLGRAD_GRADCHECK_LIBRARY, "no library");
  expect_refused(aclgradGradcheckOpen("./none.so", NULL), "check is null");
  expect_refused(aclgradGradcheckRun(NULL, "selu"), "check is null");
  expect(aclgradGradcheckReport(NULL, "text") == NULL, "no check, no report");
  aclgradGradcheckClose(NULL);
}

/* y = factor x^2 + the sum of x, with what was summed kept for nobody; the class is not used. */
static void square(const void* const* in, void* const* out, void* context) {
  const double* x = in[1];
  double* y = out[1];
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += x[i];
  for (int i = 0; i < 6; ++i) y[i] = *(const double*)context * x[i] * x[i] + sum;
  *(double*)out[0] = sum;
}

static void square_backward(const void* const* in, const void* const* out, const void* const* d_out,
                            void* const* d_in, void* context) {
  const double* x = in[1];
  const double* d = d_out[1];
  double* dx = d_in[1];
  double sum = 0;
  for (int i = 0; i < 6; ++i) sum += d[i];
  for (int i = 0; i < 6; ++i) dx[i] += 2 * *(const double*)context * x[i] * d[i] + sum;
  if (d_in[0] != NULL || d_out[0] != NULL || *(const double*)out[0] > 24) dx[0] = 0;
}

static void forgets_the_sum(const void* const* in, const void* const* out, const void* const* d_out,
                            void* const* d_in, void* context) {
  (void)out;
  for (int i = 0; i < 6; ++i) {
    ((double*)d_in[1])[i] = 2 * *(double*)context * ((double*)in[1])[i] * ((double*)d_out[1])[i];
  }
}

static void functions(void) {
  aclgradGradcheck* check = NULL;
  double factor = 3;
  int64_t shape[] = {2, 3};
  aclgradGradcheckArray in[] = {
      {"class", NULL, 0, "int64", 0, 9, 0},
      {"x", shape, 2, "float64", 0, 0, ACLGRAD_GRADCHECK_ADDS},
  };
  aclgradGradcheckArray out[] = {
      {"sum", NULL, 0, "float64", 0, 0, ACLGRAD_GRADCHECK_NO_GRADIENT},
      {"y", shape, 2, "float64", 0, 0, 0},
  };
  expect(aclgradGradcheckOpen(NULL, &check) == ACLGRAD_GRADCHECK_RIGHT, "no library");
  expect(aclgradGradcheckFunctions(check, "square", in, 2, out, 2, square, square_backward,
                                   &factor) == ACLGRAD_GRADCHECK_RIGHT,
         "a right pair");
  expect(aclgradGradcheckFunctions(check, "square", in, 2, out, 2, square, forgets_the_sum,
                                   &factor) == ACLGRAD_GRADCHECK_WRONG,
         "a wrong pair");
  expect(says(aclgradGradcheckReport(check, "text"), "of the gradient of x are not the derivative"),
         "the gradient's name");
  expect(says(aclgradGradcheckReport(check, "json"), "\"wrong\""), "JSON of functions");
  expect(aclgradGradcheckReport(check, "html") == NULL, "no page of functions");
  in[1].dtype = "bf16";
  expect_refused(
      aclgradGradcheckFunctions(check, "square", in, 2, out, 2, square, square_backward, &factor),
      "`x` is bfloat16, whose steps are too large for differences; it needs a reference");
  in[1].dtype = "float64";
  out[0].dtype = "int8";
  expect_refused(
      aclgradGradcheckFunctions(check, "square", in, 2, out, 2, square, square_backward, &factor),
      "`sum` is int8; arrays of functions are float16, bfloat16, float32 or float64");
  out[0].dtype = "float64";
  in[1].dtype = NULL;
  expect_refused(
      aclgradGradcheckFunctions(check, "square", in, 2, out, 2, square, square_backward, &factor),
      "`x` is float32 and `sum` float64");
  expect_refused(
      aclgradGradcheckFunctions(check, "square", in, 1, out, 2, square, square_backward, &factor),
      "no input has a gradient");
  expect_refused(
      aclgradGradcheckFunctions(check, "square", in, 2, out, 2, NULL, square_backward, &factor),
      "forward is null");
  expect(aclgradGradcheckReport(check, "text") == NULL, "no report of what was refused");
  aclgradGradcheckClose(check);
}

/* y = x^2 in 16 bits: of bfloat16, the upper half of a float. */
static float widened(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t narrowed(float value) {
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  return (uint16_t)((wide + 0x7FFF + (wide >> 16 & 1)) >> 16);
}

static void narrow_square(const void* const* in, void* const* out, void* context) {
  (void)context;
  for (int i = 0; i < 6; ++i) {
    const float x = widened(((const uint16_t*)in[0])[i]);
    ((uint16_t*)out[0])[i] = narrowed(x * x);
  }
}

static void narrow_square_backward(const void* const* in, const void* const* out,
                                   const void* const* d_out, void* const* d_in, void* factor) {
  (void)out;
  for (int i = 0; i < 6; ++i) {
    const float x = widened(((const uint16_t*)in[0])[i]);
    const float d = widened(((const uint16_t*)d_out[0])[i]);
    ((uint16_t*)d_in[0])[i] = narrowed(*(const float*)factor * x * d);
  }
}

static void exact_square(const void* const* in, void* const* out, void* context) {
  (void)context;
  for (int i = 0; i < 6; ++i) {
    const double x = ((const double*)in[0])[i];
    ((double*)out[0])[i] = x * x;
  }
}

static void sixteen_bits(void) {
  aclgradGradcheck* check = NULL;
  float factor = 2;
  const int64_t shape[] = {6};
  const aclgradGradcheckArray x = {.name = "x", .shape = shape, .rank = 1, .dtype = "bfloat16"};
  const aclgradGradcheckArray y = {.name = "y", .shape = shape, .rank = 1, .dtype = "bf16"};
  aclgradGradcheckPair pair = {.name = "square",
                               .inputs = &x,
                               .input_count = 1,
                               .outputs = &y,
                               .output_count = 1,
                               .forward = narrow_square,
                               .backward = narrow_square_backward,
                               .reference = exact_square,
                               .context = &factor};
  expect(aclgradGradcheckOpen(NULL, &check) == ACLGRAD_GRADCHECK_RIGHT, "no library");
  expect(aclgradGradcheckRunPair(check, &pair) == ACLGRAD_GRADCHECK_RIGHT, "bfloat16");
  factor = 2.1f;
  expect(aclgradGradcheckRunPair(check, &pair) == ACLGRAD_GRADCHECK_WRONG, "bfloat16, wrong");
  factor = 0;
  expect(aclgradGradcheckRunPair(check, &pair) == ACLGRAD_GRADCHECK_WRONG, "zeros");
  expect(says(aclgradGradcheckReport(check, "json"), "\"pattern\": \"zeros\""), "the pattern");
  factor = 2;
  pair.forward = NULL;
  expect(aclgradGradcheckRunPair(check, &pair) == ACLGRAD_GRADCHECK_RIGHT, "without a forward");
  pair.accumulation = "bfloat17";
  expect_refused(aclgradGradcheckRunPair(check, &pair), "no dtype is called 'bfloat17'");
  pair.accumulation = NULL;
  pair.reference = NULL;
  expect_refused(aclgradGradcheckRunPair(check, &pair), "forward is null");
  expect_refused(aclgradGradcheckRunPair(check, NULL), "pair is null");
  aclgradGradcheckClose(check);
}

/* y = table[index] + x; of one row, so that the only index is 0. */
static void look_up(const aclgradGradcheckCall* call, void* context) {
  const double* x = call->inputs[0];
  const double* table = call->inputs[1];
  const int64_t* index = call->inputs[2];
  const int n = (int)call->attributes[0];
  (void)context;
  for (int i = 0; i < n; ++i) ((double*)call->outputs[0])[i] = x[i] + table[index[i]];
}

static void look_up_backward(const aclgradGradcheckCall* call, void* context) {
  const double* d = call->output_gradients[0];
  const int64_t* index = call->inputs[2];
  double* dx = call->input_gradients[0];
  double* dtable = call->input_gradients[1];
  const int n = (int)call->attributes[0];
  const int64_t stride = call->strides[0][0];
  for (int k = 0; k < (int)call->attributes[1]; ++k) dtable[k] = 0;
  for (int i = 0; i < n; ++i) {
    const double each = d[i * stride];
    if (dx != NULL) dx[i] = each;
    if (*(const int*)context)
      dtable[index[i]] += each;
    else
      dtable[index[i]] = each; /* of an index that comes twice, the last one */
  }
}

static void look_up_describe(const double* attributes, aclgradGradcheckArray* in,
                             aclgradGradcheckArray* out, void* context) {
  static int64_t length, rows;
  (void)context;
  length = (int64_t)attributes[0];
  rows = (int64_t)attributes[1];
  in[0] = (aclgradGradcheckArray){"x", &length, 1, "float64", 0, 0, ACLGRAD_GRADCHECK_OPTIONAL};
  in[1] = (aclgradGradcheckArray){"table", &rows, 1, "float64", 0, 0, 0};
  in[2] = (aclgradGradcheckArray){"index", &length, 1, "int64", 0, (double)(rows - 1), 0};
  out[0] = (aclgradGradcheckArray){"y", &length, 1, "float64", 0, 0, ACLGRAD_GRADCHECK_STRIDED};
}

static void family(void) {
  aclgradGradcheck* check = NULL;
  int is_right = 1;
  const aclgradGradcheckAttribute attributes[] = {{"n", 1, 1, 6, 1}, {"rows", 1, 1, 3, 1}};
  aclgradGradcheckFamily pair = {
      "look_up", attributes, 2,    3, 1,   look_up_describe, look_up, look_up_backward,
      &is_right, NULL,       NULL, 0, NULL};
  expect(aclgradGradcheckOpen(NULL, &check) == ACLGRAD_GRADCHECK_RIGHT, "no library");
  expect(aclgradGradcheckRunFamily(check, &pair) == ACLGRAD_GRADCHECK_RIGHT,
         "a right family, also of one row");
  is_right = 0;
  expect(aclgradGradcheckRunFamily(check, &pair) == ACLGRAD_GRADCHECK_WRONG, "a wrong family");
  expect(says(aclgradGradcheckReport(check, "text"), "look_up, n="), "the attributes");
  pair.describe = NULL;
  expect_refused(aclgradGradcheckRunFamily(check, &pair), "describe is null");
  aclgradGradcheckClose(check);
}

int main(int argc, char** argv) {
  setlocale(LC_ALL, ""); /* that of the environment, which must not matter */
  if (argc != 3) return 2;
  expect(says(aclgradGradcheckOperators(), "selu,"), "names of operators");
  expect(says(aclgradGradcheckVersion(), "."), "the version");
  right(argv[1]);
  wrong(argv[2]);
  unusable();
  functions();
  sixteen_bits();
  family();
  return failures;
}
