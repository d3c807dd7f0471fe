// SPDX-License-Identifier: Apache-2.0
// Pairs of functions with a reference, in every floating dtype: what is right is right whatever the
// seed, and every planted mistake is found in every dtype.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "aclgrad/error.h"
#include "tests/autograd/reference_pairs.h"

namespace aclgrad::gradcheck {
namespace {

using namespace test;
using ::testing::HasSubstr;

// ACLGRAD_SEEDS=1000 takes that many.
std::uint64_t seeds() {
  const char* given = std::getenv("ACLGRAD_SEEDS");
  return given == nullptr ? 4 : std::strtoull(given, nullptr, 10);
}

TEST(ReferencePairs, ThatAreRightAreRightWhateverTheSeed) {
  for (const Kernel& kernel : kernels()) {
    for (const DType dtype : kDTypes) {
      int alarms = 0;
      for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        const Report report = check_functions(pair_of(kernel, dtype), {.seed = seed});
        EXPECT_GT(report.right, 30);
        if (report.verdict() == Verdict::right || ++alarms > 2) continue;
        ADD_FAILURE() << kernel.name << ", " << short_name(dtype) << ", seed " << seed << "\n"
                      << report.to_string();
      }
      EXPECT_EQ(alarms, 0) << kernel.name << ", " << short_name(dtype);
    }
  }
}

TEST(ReferencePairs, WithAMistakeAreWrongInEveryDType) {
  for (const Kernel& kernel : kernels()) {
    for (const DType dtype : kDTypes) {
      for (std::size_t m = 1; m <= kernel.mistakes.size(); ++m) {
        const Report report = check_functions(pair_of(kernel, dtype, static_cast<int>(m)));
        EXPECT_EQ(report.verdict(), Verdict::wrong)
            << kernel.name << ", " << short_name(dtype) << ": " << kernel.mistakes[m - 1] << "\n"
            << report.to_string();
      }
    }
  }
}

// ---- What is said of them -----------------------------------------------------------------------

constexpr DType k16Bits[] = {DType::float16, DType::bfloat16};

// dx = g slope(x), whatever the dtype.
FunctionPair elementwise_pair(DType dtype, std::function<double(double)> value,
                              std::function<double(double x, double g)> gradient) {
  FunctionPair pair{.name = "f",
                    .inputs = {{.name = "x", .shape = {4, 6}, .dtype = dtype}},
                    .outputs = {{.name = "y", .shape = {4, 6}, .dtype = dtype}},
                    .forward = {},
                    .backward = {}};
  const auto forward = [value](const void* x, void* y, DType stored) {
    for (std::int64_t i = 0; i < 24; ++i) {
      const double at = static_cast<double>(load(static_cast<const std::byte*>(x), stored, i));
      store(static_cast<std::byte*>(y), stored, i, value(at));
    }
  };
  pair.forward = [=](auto in, auto out) { forward(in[0], out[0], dtype); };
  pair.reference = [=](auto in, auto out) { forward(in[0], out[0], DType::float64); };
  pair.backward = [=](auto in, auto, auto up, auto grad) {
    for (std::int64_t i = 0; i < 24; ++i) {
      const auto at = [&](const void* data) {
        return static_cast<double>(load(static_cast<const std::byte*>(data), dtype, i));
      };
      store(static_cast<std::byte*>(grad[0]), dtype, i, gradient(at(in[0]), at(up[0])));
    }
  };
  return pair;
}

FunctionPair squares(DType dtype, std::function<double(double x, double g)> gradient) {
  return elementwise_pair(
      dtype, [](double x) { return x * x; }, std::move(gradient));
}

double right_gradient(double x, double g) { return 2 * x * g; }

const Finding* find(const Report& report, std::string_view check) {
  const auto it = std::ranges::find(report.findings, check, &Finding::check);
  return it == report.findings.end() ? nullptr : &*it;
}

TEST(ReferencePairs, AreAskedForIn16Bits) {
  for (const DType dtype : k16Bits) {
    FunctionPair pair = squares(dtype, right_gradient);
    pair.reference = nullptr;
    try {
      check_functions(pair);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ValueError& error) {
      EXPECT_THAT(error.what(), HasSubstr("needs a reference, the forward in float64"));
    }
  }
  FunctionPair pair = squares(DType::bfloat16, right_gradient);
  pair.roundings = -1;
  EXPECT_THROW(check_functions(pair), ValueError);
  pair.roundings = 0;
  pair.accumulation = DType::int32;
  EXPECT_THROW(check_functions(pair), DTypeError);
}

TEST(ReferencePairs, NeedNoForward) {
  for (const DType dtype : kDTypes) {
    FunctionPair pair = pair_of(layer_norm(), dtype);
    pair.forward = nullptr;
    EXPECT_EQ(check_functions(pair).verdict(), Verdict::right) << short_name(dtype);
    pair = pair_of(layer_norm(), dtype, 1);
    pair.forward = nullptr;
    EXPECT_EQ(check_functions(pair).verdict(), Verdict::wrong) << short_name(dtype);
  }
}

TEST(ReferencePairs, GiveWhatTheReferenceGives) {
  for (const DType dtype : kDTypes) {
    FunctionPair pair = squares(dtype, right_gradient);
    pair.forward = [=](auto in, auto out) {
      for (std::int64_t i = 0; i < 24; ++i) {
        const Number x = load(static_cast<const std::byte*>(in[0]), dtype, i);
        store(static_cast<std::byte*>(out[0]), dtype, i, x * x * 1.02L);
      }
    };
    const Report report = check_functions(pair);
    EXPECT_EQ(report.verdict(), Verdict::wrong);
    ASSERT_NE(find(report, "value"), nullptr) << report.to_string();
    EXPECT_THAT(find(report, "value")->text, HasSubstr("of y are not what the reference gives"));
    EXPECT_EQ(find(report, "derivative"), nullptr) << "the backward is right";
  }
}

// An output that the reference does not know, as statistics that only the kernel keeps.
TEST(ReferencePairs, AreNotComparedWhereTheReferenceSaysNothing) {
  FunctionPair pair = squares(DType::bfloat16, right_gradient);
  pair.outputs.push_back(
      {.name = "kept", .shape = {}, .dtype = DType::float32, .has_gradient = false});
  pair.forward = [inner = pair.forward](auto in, auto out) {
    inner(in, out);
    *static_cast<float*>(out[1]) = 7;
  };
  EXPECT_EQ(check_functions(pair).verdict(), Verdict::right);
}

TEST(ReferencePairs, MayRoundInsideAsOftenAsTheySay) {
  for (const DType dtype : k16Bits) {
    FunctionPair pair = elementwise_pair(
        dtype, [](double x) { return x / (1 + std::exp(-x)); },
        [dtype](double x, double g) {
          const auto rounded = [&](double v) { return static_cast<double>(round_to(v, dtype)); };
          const double s = rounded(1 / (1 + std::exp(-x)));
          const double t = rounded(rounded(x * rounded(1 - s)) + 1);
          return g * rounded(s * t);
        });
    EXPECT_FALSE(check_functions(pair).passed()) << short_name(dtype);
    pair.roundings = 5;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      const Report report = check_functions(pair, {.seed = seed});
      EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
    }
    pair.backward = [inner = pair.backward, dtype](auto in, auto out, auto up, auto grad) {
      inner(in, out, up, grad);
      store(static_cast<std::byte*>(grad[0]), dtype, 5, 0);
    };
    EXPECT_EQ(check_functions(pair).verdict(), Verdict::wrong) << "roundings hide no mistake";
  }
}

TEST(ReferencePairs, MayKeepSumsInTheDTypeThatTheySay) {
  for (const DType dtype : k16Bits) {
    FunctionPair pair = pair_of(matmul(true), dtype);
    pair.accumulation.reset();
    EXPECT_FALSE(check_functions(pair).passed()) << short_name(dtype);
  }
}

TEST(ReferencePairs, ThatWereNotComputedAreCalledByTheirPattern) {
  const struct {
    const char* pattern;
    double (*gradient)(double x, double g);
  } cheats[] = {{"zeros", [](double, double) { return 0.0; }},
                {"constant", [](double, double) { return 1.0; }},
                {"copies an input", [](double x, double) { return x; }},
                {"copies what arrives", [](double, double g) { return g; }},
                {"ignores what arrives", [](double x, double) { return 2 * x; }}};
  for (const DType dtype : kDTypes) {
    for (const auto& [pattern, gradient] : cheats) {
      const Report report = check_functions(squares(dtype, gradient));
      ASSERT_FALSE(report.findings.empty());
      EXPECT_EQ(report.findings.front().pattern, pattern) << report.to_string();
      EXPECT_THAT(report.to_json(), HasSubstr(std::string("\"pattern\": \"") + pattern));
    }
    const Report other =
        check_functions(squares(dtype, [](double x, double g) { return 3 * x * g; }));
    EXPECT_EQ(other.findings.front().pattern, "");
  }
}

// A backward that reads the forward's results is allowed what their rounding does to it. It says
// itself what that is.
TEST(ReferencePairs, CannotWidenTheirOwnBounds) {
  for (const DType dtype : kDTypes) {
    const FunctionPair right = squares(dtype, right_gradient);
    const auto verdict_of = [&](const std::function<Number(Number x, Number off)>& slope_of) {
      FunctionPair pair = right;
      pair.backward = [=](auto in, auto out, auto up, auto grad) {
        const auto at = [&](const void* data, std::int64_t i) {
          return load(static_cast<const std::byte*>(data), dtype, i);
        };
        for (std::int64_t i = 0; i < 24; ++i) {
          const Number x = at(in[0], i);
          // In last places of the result.
          const Number own = round_to(x * x, dtype);
          const Number off = (at(out[0], i) - own) / ulp(own, dtype);
          store(static_cast<std::byte*>(grad[0]), dtype, i, at(up[0], i) * slope_of(x, off));
        }
      };
      return check_functions(pair).verdict();
    };
    EXPECT_EQ(verdict_of([](Number x, Number) { return 2 * x; }), Verdict::right);
    EXPECT_EQ(verdict_of([](Number x, Number off) { return off == 0 ? 0.5L + 123 * x : 1e30L; }),
              Verdict::wrong)
        << short_name(dtype) << ": not the derivative, and beside the result anything";
    for (const Number factor : {1.2L, 2.0L}) {
      for (const Number change : {0.5L, 10.0L, 1e4L}) {
        const Verdict verdict =
            verdict_of([&](Number x, Number off) { return 2 * factor * x + off * change; });
        EXPECT_NE(verdict, Verdict::right) << short_name(dtype) << ", " << factor << " times the "
                                           << "derivative, and " << change << " a last place";
      }
    }
  }
}

TEST(ReferencePairs, KeepToTheirMemory) {
  for (const DType dtype : k16Bits) {
    const FunctionPair right = squares(dtype, right_gradient);
    const auto expect = [&](const FunctionPair& pair, const char* text) {
      const Report report = check_functions(pair);
      EXPECT_EQ(report.verdict(), Verdict::wrong);
      EXPECT_THAT(report.to_string(), HasSubstr(text));
    };
    FunctionPair pair = right;
    pair.backward = [inner = right.backward](auto in, auto out, auto up, auto grad) {
      inner(in, out, up, grad);
      static_cast<std::uint16_t*>(grad[0])[24] = 0;
    };
    expect(pair, "gradient 0 was written 1 bytes after its end");
    pair.backward = [inner = right.backward](auto in, auto out, auto up, auto grad) {
      inner(in, out, up, grad);
      const_cast<std::uint16_t*>(static_cast<const std::uint16_t*>(in[0]))[3] ^= 1;
    };
    expect(pair, "the backward wrote to input");
    pair.backward = [inner = right.backward](auto in, auto out, auto up, auto grad) {
      const std::uint16_t before = static_cast<std::uint16_t*>(grad[0])[7];
      inner(in, out, up, grad);
      static_cast<std::uint16_t*>(grad[0])[7] = before;
    };
    expect(pair, "half written");
    pair = right;
    pair.forward = [inner = right.forward](auto in, auto out) {
      inner(in, out);
      const_cast<std::uint16_t*>(static_cast<const std::uint16_t*>(in[0]))[3] ^= 1;
    };
    expect(pair, "the forward wrote to `x`");
  }
}

// Rounding leads out of a range, to where the function is not defined.
TEST(ReferencePairs, AreGivenNumbersOfTheirRange) {
  for (const DType dtype : k16Bits) {
    FunctionPair pair = elementwise_pair(
        dtype, [](double x) { return std::log(x - 0.999) + std::log(3.001 - x); },
        [](double x, double g) { return g * (1 / (x - 0.999) - 1 / (3.001 - x)); });
    pair.inputs[0].low = 0.9995L;
    pair.inputs[0].high = 3.0005L;
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
      const Report report = check_functions(pair, {.seed = seed});
      EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
    }
  }
}

// Of two numbers nothing is left but rounding: all terms cancel where eps is small.
TEST(ReferencePairs, ThatCancelAreNotBlamedForRounding) {
  for (const DType dtype : kDTypes) {
    for (const std::uint64_t seed : {4, 13, 32}) {
      const Report report =
          check_functions(pair_of(layer_norm(6, 2, 1e-12), dtype), {.seed = seed});
      EXPECT_NE(report.verdict(), Verdict::wrong) << report.to_string();
      EXPECT_NE(report.verdict(), Verdict::inexact) << report.to_string();
    }
    EXPECT_EQ(check_functions(pair_of(layer_norm(6, 3, 1e-12), dtype, 1)).verdict(),
              Verdict::wrong);
  }
}

// ---- Families -----------------------------------------------------------------------------------

FunctionFamily layer_norms(DType dtype, int mistake, std::size_t from) {
  FunctionFamily family{
      .name = "layer_norm",
      .attributes = {{.name = "rows", .usual = 3, .low = 1, .high = 12, .whole = true},
                     {.name = "n", .usual = 5, .low = 1, .high = 9, .whole = true}},
      .make = {}};
  family.make = [=](std::span<const double> a) {
    const auto n = static_cast<std::size_t>(a[1]);
    return pair_of(layer_norm(static_cast<std::size_t>(a[0]), n), dtype, n >= from ? mistake : 0);
  };
  return family;
}

TEST(ReferenceFamilies, AreRightUnderAllAttributes) {
  for (const DType dtype : kDTypes) {
    for (std::uint64_t seed = 1; seed <= std::max<std::uint64_t>(1, seeds() / 10); ++seed) {
      const Report report = check_family(layer_norms(dtype, 0, 0), {.seed = seed});
      EXPECT_EQ(report.verdict(), Verdict::right) << report.to_string();
      EXPECT_GT(report.checks, 500);
    }
  }
}

TEST(ReferenceFamilies, AreWrongWhereOneSizeIs) {
  for (const DType dtype : kDTypes) {
    const Report report = check_family(layer_norms(dtype, 1, 7));
    EXPECT_EQ(report.verdict(), Verdict::wrong);
    EXPECT_THAT(report.to_string(), HasSubstr("with n=6 it is right, with n=7 wrong"));
  }
}

}  // namespace
}  // namespace aclgrad::gradcheck
