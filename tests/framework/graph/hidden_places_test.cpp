// SPDX-License-Identifier: Apache-2.0
// What is hidden does not matter: whatever stands there, results and all gradients are as they are
// without it. And what does not hide: numbers that are added, be they the lowest.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/support/run.h"

namespace aclgrad::hidden_places {
namespace {

constexpr DType kDTypes[] = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// What may stand in a place that is not there. The first is what the others are compared with.
const std::vector<std::function<double(std::int64_t)>> kFillings = {
    [](std::int64_t) { return 0.0; }, [](std::int64_t) { return kNan; },
    [](std::int64_t i) { return i % 2 == 0 ? kInfinity : -kInfinity; },
    [](std::int64_t i) { return 50 * std::sin(static_cast<double>(i)); },
    [](std::int64_t i) { return i % 5 == 3 ? kNan : 1.0; }};

using IsThere = std::function<bool(std::int64_t batch, std::int64_t place)>;

// Rows along the last but one axis: those that are not there are filled.
Tensor filled(Tensor x, const IsThere& is_there, const std::function<double(std::int64_t)>& fill) {
  const std::int64_t size = x.shape()[-1], places = x.shape()[-2];
  const std::int64_t rows = x.numel() / (x.shape()[0] * size);  // of a batch
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const std::int64_t row = i / size;
    if (!is_there(row / rows, row % places)) x.set(i, fill(i));
  }
  return x;
}

void expect_equal_where_there(const Tensor& found, const Tensor& expected,
                              const IsThere& is_there) {
  const std::int64_t size = found.shape()[-1], places = found.shape()[-2];
  const std::int64_t rows = found.numel() / (found.shape()[0] * size);
  int wrong = 0;
  for (std::int64_t i = 0; i < found.numel(); ++i) {
    const std::int64_t row = i / size;
    if (!is_there(row / rows, row % places) || found.get(i) == expected.get(i)) continue;
    if (++wrong <= 3)
      ADD_FAILURE() << "element " << i << ": " << found.get(i) << " for " << expected.get(i);
  }
  EXPECT_EQ(wrong, 0);
}

// ---- The operator -------------------------------------------------------------------------------

struct Case {
  std::string name;
  std::int64_t queries, keys;
  std::int64_t key_heads = 2;
  // Of the mask [2, 1, queries, keys].
  std::function<bool(std::int64_t batch, std::int64_t i, std::int64_t j)> hides = {};
  IsThere query, key;
  AttentionOptions options = {};
};

struct Attended {
  Tensor out;
  std::vector<Tensor> gradients;  // of query, key, value, and of a mask that is added
};

Attended attended(const Case& it, DType dtype, bool adds,
                  const std::function<double(std::int64_t)>& fill) {
  constexpr std::int64_t kSize = 20, kValueSize = 17;
  Graph graph;
  std::vector<Feed> feeds;
  const auto input = [&](const char* name, Shape shape, const IsThere& is_there) {
    const Tensor numbers = init::normal(shape, feeds.size() + 1, 1, dtype);
    const Value value = graph.input(name, shape, dtype);
    feeds.emplace_back(value, filled(numbers, is_there, fill));
    return value;
  };
  std::vector<Value> x = {input("query", {2, 4, it.queries, kSize}, it.query),
                          input("key", {2, it.key_heads, it.keys, kSize}, it.key),
                          input("value", {2, it.key_heads, it.keys, kValueSize}, it.key)};
  // Of what is not looked at, or sees nothing. A gradient of what is lost is 0, unless it is
  // hidden.
  Tensor slopes = init::normal({2, 4, it.queries, kValueSize}, 9, 1, dtype);
  slopes = filled(slopes, it.query, it.hides ? fill : kFillings[0]);
  const Value seed = graph.input("seed", slopes.shape(), dtype);
  feeds.emplace_back(seed, slopes);
  Value mask;
  if (it.hides) {
    Tensor table = Tensor::zeros({2, 1, it.queries, it.keys}, adds ? dtype : DType::boolean);
    for (std::int64_t k = 0; k < table.numel(); ++k) {
      const std::int64_t i = k / it.keys % it.queries, j = k % it.keys;
      const bool hides = it.hides(k / it.keys / it.queries, i, j);
      table.set(k, adds ? (hides ? -kInfinity : 0.25 * static_cast<double>(k % 3)) : !hides);
    }
    mask = graph.input("mask", table.shape(), table.dtype());
    feeds.emplace_back(mask, std::move(table));
    if (adds) x.push_back(mask);
  }
  AttentionOptions options = it.options;
  if (options.dropout_p > 0) options.generator = Generator(5);
  const Value y = scaled_dot_product_attention(x[0], x[1], x[2], mask, options);
  const std::vector<Tensor> all = computed(with_gradients(y, x, seed), feeds);
  return {all[0], {all.begin() + 1, all.end()}};
}

const IsThere kAll = [](std::int64_t, std::int64_t) { return true; };

// Padding behind short sequences and before them, queries that see nothing, what comes later; in
// one block of scores and in several.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::int64_t places : {7, 150}) {
    const std::int64_t keys = 2 * places, part = places / 3;
    const IsThere behind = [=](std::int64_t n, std::int64_t j) {
      return n == 1 || j < keys - part;
    };
    const IsThere before = [=](std::int64_t n, std::int64_t j) { return n == 1 || j >= part; };
    const IsThere some = [](std::int64_t n, std::int64_t i) { return i % 3 != n; };
    const auto by_keys = [](const IsThere& key) {
      return [=](std::int64_t n, std::int64_t, std::int64_t j) { return !key(n, j); };
    };
    all.push_back({"behind", places, keys, 2, by_keys(behind), kAll, behind});
    all.push_back({"groups", places, keys, 4, by_keys(some), kAll, some});
    all.push_back({"dropout", places, keys, 2, by_keys(behind), kAll, behind, {.dropout_p = 0.4}});
    all.push_back({"rows that see nothing", places, keys, 1,
                   [=](std::int64_t n, std::int64_t i, std::int64_t j) {
                     return !some(n, i) || !behind(n, j);
                   },
                   some, behind});
    // Those before the first key see nothing.
    all.push_back(
        {"before", places, places, 2, by_keys(before), before, before, {.is_causal = true}});
    // What is later is not hidden from itself, but nobody looks at it.
    all.push_back({"later",
                   places,
                   places,
                   2,
                   {},
                   [=](std::int64_t n, std::int64_t i) { return i < places - part * (1 + n); },
                   [=](std::int64_t n, std::int64_t i) { return i < places - part * (1 + n); },
                   {.is_causal = true}});
  }
  return all;
}

TEST(HiddenPlaces, DoNotMatterToAttention) {
  for (const Case& it : cases()) {
    for (const DType dtype : kDTypes) {
      for (const bool adds : {false, true}) {
        if (adds && !it.hides) continue;
        const Attended expected = attended(it, dtype, adds, kFillings[0]);
        for (std::size_t k = 1; k < kFillings.size(); ++k) {
          SCOPED_TRACE(it.name + " of " + std::to_string(it.queries) + ", " + to_string(dtype) +
                       (adds ? ", added" : "") + ", filling " + std::to_string(k));
          const Attended found = attended(it, dtype, adds, kFillings[k]);
          expect_equal_where_there(found.out, expected.out, it.query);
          expect_equal_where_there(found.gradients[0], expected.gradients[0], kAll);
          expect_equal_where_there(found.gradients[1], expected.gradients[1], it.key);
          expect_equal_where_there(found.gradients[2], expected.gradients[2], it.key);
          if (adds) expect_equal_where_there(found.gradients[3], expected.gradients[3], kAll);
          // What is hidden from all has no gradient.
          for (const std::size_t of : {1, 2}) {
            for (std::int64_t i = 0; it.hides && i < found.gradients[of].numel(); ++i) {
              ASSERT_TRUE(std::isfinite(found.gradients[of].get(i)));
            }
          }
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

// What is seen is not lost.
TEST(HiddenPlaces, DoMatterToThoseThatSeeThem) {
  for (const std::int64_t places : {5, 300}) {
    Graph graph;
    const Shape shape{1, 1, places, 4};
    const auto input = [&](const char* name) { return graph.input(name, shape); };
    const Value q = input("q"), k = input("k"), v = input("v");
    const Value y = scaled_dot_product_attention(q, k, v, {}, {.is_causal = true});
    Session session(graph, {y});
    Tensor values = init::normal(shape, 3);
    values.set({0, 0, 3, 1}, kNan);
    values.set({0, 0, 2, 2}, kInfinity);
    const Tensor x = init::normal(shape, 1);
    const Tensor out = session.run({{q, x}, {k, x}, {v, values}})[y];
    for (std::int64_t i = 0; i < places; ++i) {
      EXPECT_TRUE(std::isfinite(out.get(4 * i))) << i;
      EXPECT_EQ(std::isnan(out.get(4 * i + 1)), i >= 3) << i;
      EXPECT_EQ(out.get(4 * i + 2) == kInfinity, i >= 2) << i;
    }
  }
}

// ---- Layers -------------------------------------------------------------------------------------

// Layers of which one is called, which is called for x [2, T, 8] and a memory [2, S, 8].
struct Holder : Module {
  explicit Holder(const std::string& called, bool causal, DType dtype)
      : self(child("self"), 8, 2, {.causal = causal, .dtype = dtype}),
        many(child("many"), 8, 2, {.dtype = dtype}),
        block(child("block"), 8, 2, 12, {.causal = causal, .dtype = dtype, .rotary = true}),
        decoder(child("decoder"), 8, 2, 12, {.causal = true, .dtype = dtype}),
        kind(called) {}
  Value operator()(const Value& x, const Value& memory, const Value& mask) const {
    if (kind == "self") return self(x, mask);
    if (kind == "block") return block(x, mask);
    return kind == "many" ? many(x, memory, memory, mask) : decoder(x, memory, mask);
  }
  bool has_memory() const { return kind == "many" || kind == "decoder"; }
  SelfAttention self;
  MultiheadAttention many;
  TransformerBlock block;
  TransformerDecoderBlock decoder;
  std::string kind;
};

struct Passed {
  std::vector<Tensor> gradients;  // of x, the memory, and the parameters
  Tensor out;
};

// Of sequences of which the first ends (or, from the left, begins) a third early.
Passed passed(const Holder& model, std::int64_t places, DType dtype, bool adds,
              const IsThere& is_there, const std::function<double(std::int64_t)>& fill) {
  Graph graph;
  const Shape shape{2, places, 8};
  const Value x = graph.input("x", shape, dtype), memory = graph.input("memory", shape, dtype);
  Tensor table = Tensor::zeros({2, 1, 1, places}, adds ? dtype : DType::boolean);
  for (std::int64_t i = 0; i < table.numel(); ++i) {
    if (is_there(i / places, i % places)) continue;
    table.set(i, adds ? -kInfinity : 1);
  }
  const Value y = model(x, memory, graph.constant(table));
  // Nobody looks at what padding gives.
  Tensor slopes = init::normal(shape, 4, 1, dtype);
  if (!model.has_memory()) slopes = filled(slopes, is_there, kFillings[0]);
  std::vector<Value> wrt = {model.has_memory() ? memory : x};
  for (const Variable& each : model.parameters()) {
    if (each.name().starts_with(model.kind + ".")) wrt.push_back(graph.parameter(each));
  }
  const Tensor padded = filled(init::normal(shape, 2, 1, dtype), is_there, fill);
  const Tensor whole = init::normal(shape, 3, 1, dtype);
  std::vector<Feed> feeds = {{x, model.has_memory() ? whole : padded}};
  if (model.has_memory()) feeds.emplace_back(memory, padded);
  const std::vector<Tensor> all = computed(with_gradients(y, wrt, graph.constant(slopes)), feeds);
  return {{all.begin() + 1, all.end()}, all[0]};
}

TEST(HiddenPlaces, DoNotMatterToLayers) {
  for (const char* kind : {"self", "block", "many", "decoder"}) {
    for (const DType dtype : kDTypes) {
      for (const std::int64_t places : {6, 260}) {
        for (const bool causal : {false, true}) {
          const Holder model(kind, causal, dtype);
          const IsThere is_there = [=](std::int64_t n, std::int64_t t) {
            return n == 1 || (causal ? t >= places / 3 : t < places - places / 3);
          };
          const IsThere& of_out = model.has_memory() ? kAll : is_there;
          for (const bool adds : {false, true}) {
            const Passed expected = passed(model, places, dtype, adds, is_there, kFillings[0]);
            for (std::size_t k = 1; k < kFillings.size(); ++k) {
              SCOPED_TRACE(std::string(kind) + " of " + std::to_string(places) + ", " +
                           to_string(dtype) + (causal ? ", causal" : "") + (adds ? ", added" : "") +
                           ", filling " + std::to_string(k));
              const Passed found = passed(model, places, dtype, adds, is_there, kFillings[k]);
              expect_equal_where_there(found.out, expected.out, of_out);
              ASSERT_GE(found.gradients.size(), 5U);
              for (std::size_t g = 0; g < found.gradients.size(); ++g) {
                const Tensor &a = found.gradients[g], &b = expected.gradients[g];
                for (std::int64_t i = 0; i < a.numel(); ++i) {
                  ASSERT_EQ(a.get(i), b.get(i)) << "gradient " << g << ", element " << i;
                }
              }
              if (testing::Test::HasFailure()) return;
            }
          }
        }
      }
    }
  }
}

// ---- Other masks --------------------------------------------------------------------------------

TEST(HiddenPlaces, DoNotMatterToFillsAndMaskedSoftmax) {
  const Tensor hidden = Tensor::from({2, 4}, {0, 1, 0, 1, 1, 0, 0, 0}).to(DType::boolean);
  using Function = std::function<Value(const Value& x, const Value& mask)>;
  const std::vector<std::pair<std::string, Function>> functions = {
      {"masked_fill", [](const Value& x, const Value& m) { return masked_fill(x, m, -2); }},
      {"where", [](const Value& x,
                   const Value& m) { return where(m, zeros(x.graph(), x.shape(), x.dtype()), x); }},
      {"softmax of a fill",
       [](const Value& x, const Value& m) { return softmax(masked_fill(x, m, -kInfinity)); }},
      {"scaled_masked_softmax",
       [](const Value& x, const Value& m) { return scaled_masked_softmax(x, m, 0.7); }}};
  for (const auto& [name, function] : functions) {
    for (const DType dtype : kDTypes) {
      std::vector<Tensor> expected;
      for (const auto& fill : kFillings) {
        SCOPED_TRACE(name + ", " + to_string(dtype));
        Graph graph;
        const Value x = graph.input("x", {2, 4}, dtype), seed = graph.input("seed", {2, 4}, dtype);
        const Value y = function(x, graph.constant(hidden));
        Session session(graph, {y, backward(y, {x}, {.seed = seed})[x]});
        Tensor numbers = init::normal({2, 4}, 1, 1, dtype);
        Tensor slopes = init::normal({2, 4}, 2, 1, dtype);
        for (std::int64_t i = 0; i < 8; ++i) {
          if (hidden.get(i) == 0) continue;
          numbers.set(i, fill(i));
          // A softmax's own slope there is one of a result, which is 0.
          slopes.set(i, name == "softmax of a fill" ? 0 : fill(i));
        }
        const Results results = session.run({{x, numbers}, {seed, slopes}});
        const std::vector<Tensor> found = {results[std::size_t{0}], results[std::size_t{1}]};
        if (expected.empty()) expected = found;
        for (const std::size_t k : {0, 1}) {
          for (std::int64_t i = 0; i < 8; ++i) {
            EXPECT_EQ(found[k].get(i), expected[k].get(i)) << k << " " << i;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace aclgrad::hidden_places
