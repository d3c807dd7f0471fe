// SPDX-License-Identifier: Apache-2.0
// Products and what is fused with them in a recorded model: what they touch and how much they copy.
#include <sys/mman.h>

#include <cstddef>

#include "aclnnop/aclnn_apply_adam_w_v2.h"
#include "aclnnop/aclnn_mm.h"
#include "aclnnop/aclnn_selu.h"
#include "tests/ops/support/fixture.h"
#include "tests/support/allocations.h"

namespace aclgrad::testing {
namespace {

constexpr int64_t kRows = 512;
constexpr int64_t kTerms = 64;
constexpr int64_t kColumns = 128;
constexpr size_t kWeightBytes = kRows * kColumns * sizeof(float);

// Memory that must not be touched once it is closed.
class Closable {
 public:
  Closable()
      : data_(::mmap(nullptr, kWeightBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                     0)) {
    EXPECT_NE(data_, MAP_FAILED);
  }
  ~Closable() { ::munmap(data_, kWeightBytes); }
  Closable(const Closable&) = delete;
  Closable& operator=(const Closable&) = delete;

  void close() { EXPECT_EQ(::mprotect(data_, kWeightBytes, PROT_NONE), 0); }
  void* data() const { return data_; }

 private:
  void* data_;
};

TensorHandle weight_at(void* data) {
  const int64_t shape[] = {kRows, kColumns};
  const int64_t strides[] = {kColumns, 1};
  return TensorHandle(
      aclCreateTensor(shape, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, shape, 2, data));
}

class Recorded : public AclTest {
 protected:
  template <class PhaseOne, class PhaseTwo, class... Args>
  void launch(PhaseOne phase_one, PhaseTwo phase_two, Args... arguments) {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    ASSERT_EQ(phase_one(arguments..., &size, &executor), 0) << recent_message();
    ASSERT_EQ(size, 0U);
    ASSERT_EQ(phase_two(nullptr, 0, executor, stream()), 0) << recent_message();
  }
};

TEST_F(Recorded, AMovedWeightIsUpdatedWhereItLiesNowAndNowhereElse) {
  const Array left = random_array(ACL_FLOAT, {kRows, kTerms}, LayoutKind::kContiguous, 1);
  const Array right = random_array(ACL_FLOAT, {kTerms, kColumns}, LayoutKind::kContiguous, 2);
  for (const int32_t threads : {1, 2}) {
    ASSERT_EQ(aclgradSetNumThreads(threads), 0);
    const Array gradient(ACL_FLOAT, {kRows, kColumns});
    const Array m(ACL_FLOAT, {kRows, kColumns}), v(ACL_FLOAT, {kRows, kColumns});
    const Array step(ACL_FLOAT, {1}, {0});
    Closable before, now;
    const TensorHandle weight = weight_at(before.data());
    ASSERT_EQ(aclmdlRICaptureBegin(stream(), ACL_MODEL_RI_CAPTURE_MODE_RELAXED), 0);
    launch(aclnnMmGetWorkspaceSize, aclnnMm, left.tensor(), right.tensor(), gradient.tensor(),
           int8_t{0});
    launch(aclnnApplyAdamWV2GetWorkspaceSize, aclnnApplyAdamWV2, weight.get(), m.tensor(),
           v.tensor(), static_cast<aclTensor*>(nullptr), gradient.tensor(), step.tensor(), 0.1F,
           0.9F, 0.999F, 0.0F, 1e-8F, false, false);
    aclmdlRI model = nullptr;
    ASSERT_EQ(aclmdlRICaptureEnd(stream(), &model), 0);
    ASSERT_EQ(aclgradModelStepCount(model), 1U);
    const auto distance =
        static_cast<std::byte*>(now.data()) - static_cast<std::byte*>(before.data());
    ASSERT_EQ(aclgradModelMoveTensor(model, weight.get(), distance), 0);
    before.close();
    ASSERT_EQ(aclmdlRIExecuteAsync(model, stream()), 0);
    ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
    // The first step of AdamW goes as far as the learning rate says, against the gradient.
    const auto* const weights = static_cast<const float*>(now.data());
    for (int64_t i = 0; i < kRows * kColumns; ++i) {
      ASSERT_NEAR(weights[i], gradient.get(i) > 0 ? -0.1 : 0.1, 1e-3) << i;
    }
    EXPECT_EQ(aclmdlRIDestroy(model), 0);
  }
}

// Each part copies the rows that it overwrites, and none of the others'.
TEST_F(Recorded, APartOfAProductInPlaceCopiesItsOwnRowsAlone) {
  constexpr int64_t kManyRows = 1 << 16;
  constexpr int64_t kWidth = 16;
  const Array weight = random_array(ACL_FLOAT, {kWidth, kWidth}, LayoutKind::kContiguous, 1);
  const Array x = random_array(ACL_FLOAT, {kManyRows, kWidth}, LayoutKind::kContiguous, 2);
  const Array y(ACL_FLOAT, {kManyRows, kWidth});
  const Array expected(ACL_FLOAT, {kManyRows, kWidth});
  ASSERT_EQ(call(aclnnMmGetWorkspaceSize, aclnnMm, x.tensor(), weight.tensor(), expected.tensor(),
                 int8_t{0}),
            0);
  ASSERT_EQ(aclgradSetNumThreads(2), 0);
  ASSERT_EQ(aclmdlRICaptureBegin(stream(), ACL_MODEL_RI_CAPTURE_MODE_RELAXED), 0);
  launch(aclnnMmGetWorkspaceSize, aclnnMm, x.tensor(), weight.tensor(), x.tensor(), int8_t{0});
  launch(aclnnSeluGetWorkspaceSize, aclnnSelu, x.tensor(), y.tensor());
  aclmdlRI model = nullptr;
  ASSERT_EQ(aclmdlRICaptureEnd(stream(), &model), 0);
  ASSERT_EQ(aclgradModelStepCount(model), 1U);
  const PeakMemory memory;
  ASSERT_EQ(aclmdlRIExecuteAsync(model, stream()), 0);
  ASSERT_EQ(aclrtSynchronizeStream(stream()), 0);
  EXPECT_LE(memory.bytes(), static_cast<int64_t>(x.memory().bytes() / 4));
  EXPECT_EQ(bytes_of(x), bytes_of(expected));
  EXPECT_EQ(aclmdlRIDestroy(model), 0);
}

}  // namespace
}  // namespace aclgrad::testing
