// SPDX-License-Identifier: Apache-2.0
// A recording of operators gives the bits of the operators run one by one, whether or not it takes
// them piece by piece together.
#include <cstring>
#include <random>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_logsoftmax.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_selu.h"
#include "aclnnop/aclnn_softmax.h"
#include "aclnnop/aclnn_softmax_backward.h"
#include "tests/ops/support/acl_fixture.h"

namespace aclgrad::testing {
namespace {

// An operator whose executor runs again and again.
class Prepared {
 public:
  using PhaseTwo = aclnnStatus (*)(void*, uint64_t, aclOpExecutor*, aclrtStream);

  template <class PhaseOne, class... Args>
  Prepared(PhaseOne phase_one, PhaseTwo phase_two, Args... arguments) : phase_two_(phase_two) {
    uint64_t size = 0;
    EXPECT_EQ(phase_one(arguments..., &size, &executor_), 0) << recent_message();
    EXPECT_EQ(size, 0U);
    EXPECT_EQ(aclSetAclOpExecutorRepeatable(executor_), 0);
  }
  ~Prepared() { aclDestroyAclOpExecutor(executor_); }
  Prepared(const Prepared&) = delete;

  void launch(aclrtStream stream) const {
    EXPECT_EQ(phase_two_(nullptr, 0, executor_, stream), 0) << recent_message();
  }

 private:
  PhaseTwo phase_two_;
  aclOpExecutor* executor_ = nullptr;
};

class ReplayTest : public AclTest, public ::testing::WithParamInterface<aclDataType> {
 protected:
  static constexpr int64_t kRows = 600;
  static constexpr int64_t kColumns = 514;  // no multiple of a vector

  Array random(Shape shape, uint32_t seed) {
    std::minstd_rand bits(seed);
    std::vector<long double> values(4099);
    for (long double& value : values) value = static_cast<long double>(bits() % 16001) / 2000 - 4;
    Array array(GetParam(), std::move(shape));
    array.fill(values);
    return array;
  }

  // Its bytes are those of no result.
  static Array unwritten(Shape shape) {
    Array array(GetParam(), std::move(shape));
    std::memset(array.data(), 0x7f, array.memory().bytes());
    return array;
  }

  using Operators = std::vector<std::unique_ptr<Prepared>>;
  static void add(Operators& operators, auto... arguments) {
    operators.push_back(std::make_unique<Prepared>(arguments...));
  }

  static void add_product(Operators& operators, const Array& left, const Array& right,
                          const Array& out) {
    add(operators, aclnnMatmulGetWorkspaceSize, aclnnMatmul, left.tensor(), right.tensor(),
        out.tensor(), int8_t{0});
  }
  static void add_selu(Operators& operators, const Array& self, const Array& out) {
    add(operators, aclnnSeluGetWorkspaceSize, aclnnSelu, self.tensor(), out.tensor());
  }

  // Steps of the recording of everything in `operators`, after running it.
  size_t replay(const Operators& operators) {
    aclmdlRI model = nullptr;
    EXPECT_EQ(aclmdlRICaptureBegin(stream(), ACL_MODEL_RI_CAPTURE_MODE_RELAXED), 0);
    for (const auto& each : operators) each->launch(stream());
    EXPECT_EQ(aclmdlRICaptureEnd(stream(), &model), 0);
    const size_t steps = aclgradModelStepCount(model);
    EXPECT_EQ(aclmdlRIExecuteAsync(model, stream()), 0);
    EXPECT_EQ(aclrtSynchronizeStream(stream()), 0) << recent_message();
    EXPECT_EQ(aclmdlRIDestroy(model), 0);
    return steps;
  }

  // Recorded in so many steps, the operators leave the bits that they leave one by one; `results`
  // are as they were before each run.
  void expect_same_bits(const Operators& operators, const std::vector<const Array*>& results,
                        size_t steps) {
    const std::vector<char> before = bytes_of(results);
    for (const auto& each : operators) each->launch(stream());
    ASSERT_EQ(aclrtSynchronizeStream(stream()), 0) << recent_message();
    const std::vector<char> one_by_one = bytes_of(results);
    for (const int32_t fuse : {1, 0}) {
      for (const int32_t threads : {1, 2, 3}) {
        restore(before, results);
        aclgradSetReplayFusion(fuse);
        ASSERT_EQ(aclgradSetNumThreads(threads), 0);
        EXPECT_EQ(replay(operators), fuse != 0 ? steps : operators.size());
        EXPECT_TRUE(bytes_of(results) == one_by_one) << fuse << " " << threads;
      }
    }
    aclgradSetReplayFusion(1);
    ASSERT_EQ(aclgradSetNumThreads(0), 0);
  }

 private:
  static std::vector<char> bytes_of(const std::vector<const Array*>& arrays) {
    std::vector<char> bytes;
    for (const Array* array : arrays) {
      const auto* begin = static_cast<const char*>(array->data());
      bytes.insert(bytes.end(), begin, begin + array->memory().bytes());
    }
    return bytes;
  }

  static void restore(const std::vector<char>& bytes, const std::vector<const Array*>& arrays) {
    const char* from = bytes.data();
    for (const Array* array : arrays) {
      std::memcpy(array->data(), from, array->memory().bytes());
      from += array->memory().bytes();
    }
  }
};

TEST_P(ReplayTest, AFeedForwardBlockIsOneStepWithTheSameBits) {
  const Array input = random({kRows, 2 * kColumns}, 1);
  const Array bias = random({2 * kColumns}, 2);
  const Array grad = random({kRows, kColumns}, 3);
  const Array hidden = unwritten({kRows, 2 * kColumns});
  const Array out = unwritten({kRows, kColumns});
  const Array gelu = unwritten({kRows, kColumns});
  const Array activated = unwritten({kRows, kColumns});
  const Array grad_out = unwritten({kRows, kColumns});
  const Array grad_hidden = unwritten({kRows, 2 * kColumns});
  const Scalar one(1.0f);
  Operators operators;
  add(operators, aclnnAddGetWorkspaceSize, aclnnAdd, input.tensor(), bias.tensor(), one.get(),
      hidden.tensor());
  add(operators, aclnnGeGluV3GetWorkspaceSize, aclnnGeGluV3, hidden.tensor(), int64_t{-1},
      int64_t{0}, false, out.tensor(), gelu.tensor());
  add_selu(operators, out, activated);
  add(operators, aclnnInplaceMulGetWorkspaceSize, aclnnInplaceMul, activated.tensor(),
      out.tensor());
  add(operators, aclnnEluBackwardGetWorkspaceSize, aclnnEluBackward, grad.tensor(), one.get(),
      one.get(), one.get(), false, activated.tensor(), grad_out.tensor());
  add(operators, aclnnGeGluV3BackwardGetWorkspaceSize, aclnnGeGluV3Backward, grad_out.tensor(),
      hidden.tensor(), gelu.tensor(), int64_t{-1}, int64_t{0}, false, grad_hidden.tensor());
  expect_same_bits(operators, {&hidden, &out, &gelu, &activated, &grad_out, &grad_hidden}, 1);
}

// Each row passes through both products while it is at hand.
TEST_P(ReplayTest, LayersFollowEachOtherRowByRowWithTheSameBits) {
  const Array input = random({kRows, 200}, 1);
  const Array first = random({200, 96}, 2);
  const Array second = random({96, 32}, 3);
  const Array hidden = unwritten({kRows, 96});
  const Array activated = unwritten({kRows, 96});
  const Array logits = unwritten({kRows, 32});
  const Array out = unwritten({kRows, 32});
  Operators operators;
  add_product(operators, input, first, hidden);
  add_selu(operators, hidden, activated);
  add_product(operators, activated, second, logits);
  add(operators, aclnnLogSoftmaxGetWorkspaceSize, aclnnLogSoftmax, logits.tensor(), int64_t{1},
      out.tensor());
  expect_same_bits(operators, {&hidden, &activated, &logits, &out}, 1);
}

// Numbers for each row, and vectors for all of them, go along with the rows.
TEST_P(ReplayTest, NormalizationsPassTheirRowsOnWithTheSameBits) {
  const Array input = random({kRows, 96}, 1);
  const Array scale = random({96}, 2);
  const Array weight = random({96, 32}, 3);
  const Array grad = random({kRows, 32}, 4);
  const Array normalized = unwritten({kRows, 96});
  Array mean(ACL_FLOAT, {kRows, 1}), rstd(ACL_FLOAT, {kRows, 1});
  const Array logits = unwritten({kRows, 32});
  const Array shares = unwritten({kRows, 32});
  const Array slopes = unwritten({kRows, 32});
  const int64_t width = 96;
  const std::unique_ptr<const aclIntArray, decltype(&aclDestroyIntArray)> sizes(
      aclCreateIntArray(&width, 1), aclDestroyIntArray);
  const aclTensor* no_bias = nullptr;
  Operators operators;
  add(operators, aclnnLayerNormGetWorkspaceSize, aclnnLayerNorm, input.tensor(), sizes.get(),
      scale.tensor(), no_bias, 1e-5, normalized.tensor(), mean.tensor(), rstd.tensor());
  add_product(operators, normalized, weight, logits);
  add(operators, aclnnSoftmaxGetWorkspaceSize, aclnnSoftmax, logits.tensor(), int64_t{1},
      shares.tensor());
  add(operators, aclnnSoftmaxBackwardGetWorkspaceSize, aclnnSoftmaxBackward, grad.tensor(),
      shares.tensor(), int64_t{1}, slopes.tensor());
  expect_same_bits(operators, {&normalized, &mean, &rstd, &logits, &shares, &slopes}, 1);
}

// With few rows, what has far more columns is cut into panels of them, which no other product can
// follow; with more, the rows are cut, whatever the number of columns.
TEST_P(ReplayTest, TheNumberOfRowsDecidesHowALayerIsCut) {
  struct Case {
    int64_t rows, columns;
    size_t steps;
  };
  for (const auto& [rows, columns, steps] : {Case{64, 320, 2}, Case{130, 300, 1}}) {
    const Array input = random({rows, 200}, 1);
    const Array first = random({200, columns}, 2);
    const Array second = random({columns, 32}, 3);
    const Array hidden = unwritten({rows, columns});
    const Array activated = unwritten({rows, columns});
    const Array out = unwritten({rows, 32});
    Operators operators;
    add_product(operators, input, first, hidden);
    add_selu(operators, hidden, activated);
    add_product(operators, activated, second, out);
    expect_same_bits(operators, {&hidden, &activated, &out}, steps);
  }
}

TEST_P(ReplayTest, AProductMayOverwriteTheRowsThatItReads) {
  const Array weight = random({96, 96}, 2);
  Array rows = random({kRows, 96}, 1);
  const Array activated = unwritten({kRows, 96});
  Operators operators;
  add_product(operators, rows, weight, rows);
  add_selu(operators, rows, activated);
  expect_same_bits(operators, {&rows, &activated}, 1);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, ReplayTest, ::testing::Values(ACL_FLOAT, ACL_FLOAT16, ACL_BF16));

}  // namespace
}  // namespace aclgrad::testing
