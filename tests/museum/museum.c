/* SPDX-License-Identifier: Apache-2.0 */
/* The library's interface: finds exhibits, works out shapes and ranges, draws numbers. */
#include "museum.h"

#include <ctype.h>

enum { kKinds = 23, kFacts = 13 };
static const Exhibit* const kExhibits[kKinds] = {
    wg_a, wg_a2, wg_b, wg_c, wg_d, wg_e, wg_f, wg_f2, wg_g, wg_h, wg_i,       wg_j,
    wg_k, wg_l,  wg_m, wg_n, wg_o, wg_p, wg_q, wg_r,  wg_s, wg_u, wg_controls};

static const char* const kFactNames[kFacts] = {
    "id",    "kind",  "project", "source",  "year",      "operator", "wrong",
    "right", "shows", "needs",   "verdict", "gradcheck", "evidence"};
#define FACTS(...) {__VA_ARGS__},
static const char* const kTable[][kFacts] = {
#include "facts.def"
};

static const Exhibit* find(int number) {
  for (int kind = 0; kind < kKinds && number >= 0; ++kind) {
    for (const Exhibit* e = kExhibits[kind]; e->id; ++e) {
      if (number-- == 0) return e;
    }
  }
  return NULL;
}

int wgCount(void) {
  int count = 0;
  while (find(count)) ++count;
  return count;
}

int wgExhibits(void) {
  int count = 0;
  while (find(count)->wrong) ++count;
  return count;
}

const char* wgFact(int number, const char* fact) {
  const Exhibit* e = find(number);
  for (size_t row = 0; e && fact && row < sizeof kTable / sizeof *kTable; ++row) {
    if (strcmp(kTable[row][0], e->id) != 0) continue;
    if (strcmp(fact, "reconstructed") == 0) {
      return strstr(kTable[row][12], "formula reconstructed") ? "yes" : "";
    }
    for (int k = 0; k < kFacts; ++k) {
      if (strcmp(kFactNames[k], fact) == 0) return kTable[row][k];
    }
  }
  return NULL;
}

const char* wgKind(char kind) {
  static const char* const names[26] = {
      ['A' - 'A'] = "Wrong formula: term, factor, sign, or the derivative of something else",
      ['B' - 'A'] = "Upstream gradient (or inner derivative) ignored",
      ['C' - 'A'] = "Wrong operand: output for input, gradient for value, inverted twice",
      ['D' - 'A'] = "Accumulating, overwriting, stale or unwritten buffers, shared nodes",
      ['E' - 'A'] = "Broadcast not undone, sum over the wrong axes",
      ['F' - 'A'] = "Index, layout, stride, window, offset",
      ['G' - 'A'] = "Divisor or count",
      ['H' - 'A'] = "Ties, kinks and corner points",
      ['I' - 'A'] = "NaN, infinity, overflow, epsilon",
      ['J' - 'A'] = "Non-contiguous or expanded upstream gradient",
      ['K' - 'A'] = "Batch > 1, size threshold, rank, second code path",
      ['L' - 'A'] = "Masks, padding entries, duplicate or dropped indices",
      ['M' - 'A'] = "A path or an argument without gradient; statistics treated as constants",
      ['N' - 'A'] = "Second order (double backward)",
      ['O' - 'A'] = "In-place and aliasing",
      ['P' - 'A'] = "Thread races and repeated execution",
      ['Q' - 'A'] = "Number type: half precision",
      ['R' - 'A'] = "Parameter or branch ignored, inverted, swapped",
      ['S' - 'A'] = "Recurrence, loops over time",
      ['U' - 'A'] = "Geometry, rendering, simulation: hand-written Jacobians and forces"};
  return kind >= 'A' && kind <= 'Z' ? names[kind - 'A'] : NULL;
}

int wgAttributes(int number, wgAttribute* attributes) {
  const Exhibit* e = find(number);
  int count = 0;
  while (e && count < WG_MAX_ATTRIBUTES && e->attributes[count].name) {
    attributes[count] = e->attributes[count];
    ++count;
  }
  return count;
}

/* A formula of attributes: numbers, names, + - * / and parentheses; whole numbers are divided as in
 * C. */
typedef struct Formula {
  const char* at;
  const Exhibit* exhibit;
  const double* attributes;
} Formula;
static double sum_of(Formula* f);

static void skip_spaces(Formula* f) {
  while (*f->at == ' ') ++f->at;
}

static double factor_of(Formula* f) {
  skip_spaces(f);
  if (*f->at == '(') {
    ++f->at;
    const double value = sum_of(f);
    skip_spaces(f);
    ++f->at; /* ')' */
    return value;
  }
  if (*f->at == '-') {
    ++f->at;
    return -factor_of(f);
  }
  const char* first = f->at;
  if (isdigit((unsigned char)*first)) return strtod(first, (char**)&f->at);
  while (isalnum((unsigned char)*f->at) || *f->at == '_') ++f->at;
  const size_t length = (size_t)(f->at - first);
  if (length == 3 && strncmp(first, "inf", 3) == 0) return INFINITY;
  for (int k = 0; k < WG_MAX_ATTRIBUTES && f->exhibit->attributes[k].name; ++k) {
    const char* name = f->exhibit->attributes[k].name;
    if (strlen(name) == length && strncmp(first, name, length) == 0) return f->attributes[k];
  }
  return NAN; /* a mistake in an exhibit, which the tests find */
}

static double product_of(Formula* f) {
  double value = factor_of(f);
  for (skip_spaces(f); *f->at == '*' || *f->at == '/'; skip_spaces(f)) {
    const char operation = *f->at++;
    const double other = factor_of(f);
    value = operation == '*' ? value * other : trunc(value / other);
  }
  return value;
}

static double sum_of(Formula* f) {
  double value = product_of(f);
  for (skip_spaces(f); *f->at == '+' || *f->at == '-'; skip_spaces(f)) {
    const char operation = *f->at++;
    const double other = product_of(f);
    value += operation == '+' ? other : -other;
  }
  return value;
}

static wgArray describe(const Exhibit* e, const Array* array, const double* attributes) {
  wgArray result = {.name = array->name, .flags = array->flags};
  Formula f = {array->shape, e, attributes};
  do {
    result.shape[result.rank++] = (int64_t)sum_of(&f);
  } while (*f.at++ == ',');
  f.at = array->low;
  result.low = sum_of(&f);
  f.at = array->high;
  result.high = sum_of(&f);
  return result;
}

static int64_t elements(const wgArray* array) {
  int64_t count = 1;
  EACH(d, array->rank) count *= array->shape[d];
  return count;
}

void wgDescribe(int number, const double* attributes, wgArray* inputs, int* input_count,
                wgArray* outputs, int* output_count) {
  const Exhibit* e = find(number);
  *input_count = *output_count = 0;
  if (!e) return;
  int adds = 0;
  for (int k = 0; e->adds_if && k < WG_MAX_ATTRIBUTES && e->attributes[k].name; ++k) {
    adds |= strcmp(e->attributes[k].name, e->adds_if) == 0 && attributes[k] != 0;
  }
  for (int k = 0; k < WG_MAX_ARRAYS && e->inputs[k].name; ++k) {
    inputs[(*input_count)++] = describe(e, &e->inputs[k], attributes);
    if (adds && !(inputs[k].flags & (WG_NO_GRADIENT | WG_INTEGER))) inputs[k].flags |= WG_ADDS;
  }
  for (int k = 0; k < WG_MAX_ARRAYS && e->outputs[k].name; ++k) {
    outputs[(*output_count)++] = describe(e, &e->outputs[k], attributes);
  }
}

/* Even in [0, 1), by the place of a number in a sequence (SplitMix64). */
static double even(uint64_t seed, uint64_t place) {
  uint64_t z = (seed + 1) * 0x9E3779B97F4A7C15u + place * 0xD1B54A32D192ED03u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double normal(uint64_t seed, uint64_t place) {
  const double u = even(seed, 2 * place), v = even(seed, 2 * place + 1);
  return sqrt(-2 * log(1 - u)) * cos(2 * acos(-1) * v);
}

static void draw(const wgArray* array, uint64_t seed, void* values) {
  const double low = array->low, high = array->high;
  for (int64_t i = 0; i < elements(array); ++i) {
    const uint64_t place = (uint64_t)i;
    if (array->flags & WG_INTEGER) {
      ((int64_t*)values)[i] = (int64_t)floor(low + even(seed, place) * (high - low + 1));
    } else if (low <= -4 && high >= 4) {
      ((double*)values)[i] = fmax(low, fmin(high, normal(seed, place)));
    } else if (isfinite(low) && isfinite(high)) {
      ((double*)values)[i] = low + even(seed, place) * (high - low);
    } else {
      const double distance = fabs(normal(seed, place));
      ((double*)values)[i] = isfinite(low) ? low + distance : high - distance;
    }
  }
  const int64_t n = array->shape[0];
  for (int64_t i = 0; array->flags & WG_SYMMETRIC && i < n * n; ++i) {
    if (i / n < i % n) ((double*)values)[i] = ((double*)values)[i % n * n + i / n];
  }
}

/* What the list has, over and over; else what is drawn. */
static void fill(const wgArray* array, const List* list, uint64_t seed, void* values) {
  draw(array, seed, values);
  for (int64_t i = 0; list->count > 0 && i < elements(array); ++i) {
    const double value = list->values[i % list->count];
    if (array->flags & WG_INTEGER)
      ((int64_t*)values)[i] = (int64_t)value;
    else
      ((double*)values)[i] = value;
  }
}

void wgDraw(int number, const double* attributes, uint64_t seed, int input, void* values) {
  const Exhibit* e = find(number);
  if (!e || input < 0 || input >= WG_MAX_ARRAYS || !e->inputs[input].name) return;
  const wgArray array = describe(e, &e->inputs[input], attributes);
  draw(&array, seed * 16 + (uint64_t)input, values);
}

int wgShow(int number) {
  const Exhibit* e = find(number);
  return e ? e->show : 0;
}

static void show(int number, int k, int is_input, uint64_t seed, void* values) {
  const Exhibit* e = find(number);
  double attributes[WG_MAX_ATTRIBUTES] = {0};
  if (!e || k < 0 || k >= WG_MAX_ARRAYS) return;
  const Array* given = is_input ? &e->inputs[k] : &e->outputs[k];
  if (!given->name) return;
  for (int a = 0; a < WG_MAX_ATTRIBUTES && e->attributes[a].name; ++a)
    attributes[a] = e->attributes[a].shows;
  wgArray array = describe(e, given, attributes);
  if (!is_input) array.low = -INFINITY, array.high = INFINITY;
  fill(&array, is_input ? &e->at[k] : &e->upstream[k], seed * 16 + (uint64_t)(is_input ? k : 8 + k),
       values);
}

void wgShowInput(int number, uint64_t seed, int input, void* values) {
  show(number, input, 1, seed, values);
}

void wgShowUpstream(int number, uint64_t seed, int output, double* values) {
  show(number, output, 0, seed, values);
}

int wgShowsByDifferences(int number) {
  const Exhibit* e = find(number);
  return e && !e->no_differences;
}

void wgForward(int number, const double* attributes, const void* const* inputs,
               double* const* outputs) {
  const Exhibit* e = find(number);
  if (!e) return;
  const Call call = {.attributes = attributes, .in = (const double* const*)inputs, .out = outputs};
  e->forward(&call);
}

void wgBackward(int number, int is_right, const double* attributes, const void* const* inputs,
                double* const* outputs, const double* const* upstream,
                const int64_t* const* strides, double* const* gradients) {
  const Exhibit* e = find(number);
  if (!e) return;
  int64_t dense[WG_MAX_ARRAYS][WG_MAX_RANK];
  const int64_t* all[WG_MAX_ARRAYS] = {0};
  for (int k = 0; k < WG_MAX_ARRAYS && e->outputs[k].name; ++k) {
    const wgArray array = describe(e, &e->outputs[k], attributes);
    int64_t step = 1;
    for (int d = array.rank - 1; d >= 0; --d) {
      dense[k][d] = step;
      step *= array.shape[d];
    }
    all[k] = strides && strides[k] ? strides[k] : dense[k];
  }
  const Call call = {attributes, (const double* const*)inputs, outputs, upstream, all, gradients};
  (is_right || !e->wrong ? e->right : e->wrong)(&call);
}
