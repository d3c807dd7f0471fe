// SPDX-License-Identifier: Apache-2.0
// A recording of operators gives the bits of the operators run one by one, whether or not it takes
// them piece by piece together.
#include <cstring>
#include <random>

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_elu_backward.h"
#include "aclnnop/aclnn_geglu.h"
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_mul.h"
#include "aclnnop/aclnn_selu.h"
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

  // Steps of the recording of everything in `operators`, after running it.
  size_t replay(const std::vector<std::unique_ptr<Prepared>>& operators) {
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
};

std::vector<char> bytes_of(const std::vector<const Array*>& arrays) {
  std::vector<char> bytes;
  for (const Array* array : arrays) {
    const auto* begin = static_cast<const char*>(array->data());
    bytes.insert(bytes.end(), begin, begin + array->memory().bytes());
  }
  return bytes;
}

TEST_P(ReplayTest, AFeedForwardBlockIsOneStepWithTheSameBits) {
  const Array input = random({kRows, 2 * kColumns}, 1);
  const Array bias = random({2 * kColumns}, 2);
  const Array grad = random({kRows, kColumns}, 3);
  Array hidden(GetParam(), {kRows, 2 * kColumns});
  Array out(GetParam(), {kRows, kColumns});
  Array gelu(GetParam(), {kRows, kColumns});
  Array activated(GetParam(), {kRows, kColumns});
  Array grad_out(GetParam(), {kRows, kColumns});
  Array grad_hidden(GetParam(), {kRows, 2 * kColumns});
  const Scalar one(1.0f);
  std::vector<std::unique_ptr<Prepared>> operators;
  const auto add = [&](auto... arguments) {
    operators.push_back(std::make_unique<Prepared>(arguments...));
  };
  add(aclnnAddGetWorkspaceSize, aclnnAdd, input.tensor(), bias.tensor(), one.get(),
      hidden.tensor());
  add(aclnnGeGluV3GetWorkspaceSize, aclnnGeGluV3, hidden.tensor(), int64_t{-1}, int64_t{0}, false,
      out.tensor(), gelu.tensor());
  add(aclnnSeluGetWorkspaceSize, aclnnSelu, out.tensor(), activated.tensor());
  add(aclnnInplaceMulGetWorkspaceSize, aclnnInplaceMul, activated.tensor(), out.tensor());
  add(aclnnEluBackwardGetWorkspaceSize, aclnnEluBackward, grad.tensor(), one.get(), one.get(),
      one.get(), false, activated.tensor(), grad_out.tensor());
  add(aclnnGeGluV3BackwardGetWorkspaceSize, aclnnGeGluV3Backward, grad_out.tensor(),
      hidden.tensor(), gelu.tensor(), int64_t{-1}, int64_t{0}, false, grad_hidden.tensor());
  const std::vector<const Array*> results{&hidden,    &out,      &gelu,
                                          &activated, &grad_out, &grad_hidden};

  for (const auto& each : operators) each->launch(stream());
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0) << recent_message();
  const std::vector<char> one_by_one = bytes_of(results);

  for (const int32_t sweeps : {1, 0}) {
    for (const int32_t threads : {1, 2, 3}) {
      for (const Array* array : results) {
        std::memset(array->data(), 0x7f, array->memory().bytes());
      }
      aclgradSetReplaySweeps(sweeps);
      ASSERT_EQ(aclgradSetNumThreads(threads), 0);
      EXPECT_EQ(replay(operators), sweeps != 0 ? 1U : operators.size());
      EXPECT_TRUE(bytes_of(results) == one_by_one) << sweeps << " " << threads;
    }
  }
  aclgradSetReplaySweeps(1);
  ASSERT_EQ(aclgradSetNumThreads(0), 0);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, ReplayTest, ::testing::Values(ACL_FLOAT, ACL_FLOAT16, ACL_BF16));

}  // namespace
}  // namespace aclgrad::testing
