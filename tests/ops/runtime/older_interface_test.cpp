// SPDX-License-Identifier: Apache-2.0
// Descriptions of tensors, attributes of single operators, the profiler, dumps, overflow: what
// programs of the older interface call beside operators. Wrong calls are in tests/contract.
#include "acl/acl_op_compiler.h"
#include "acl/acl_prof.h"
#include "support.h"

namespace aclgrad::test {
namespace {

using Description = std::unique_ptr<aclTensorDesc, void (*)(const aclTensorDesc*)>;

Description describe(aclDataType dtype, std::vector<int64_t> dims,
                     aclFormat format = ACL_FORMAT_ND) {
  return {aclCreateTensorDesc(dtype, static_cast<int>(dims.size()), dims.data(), format),
          aclDestroyTensorDesc};
}

TEST(TensorDesc, TellsWhatItWasMadeWith) {
  int64_t dims[] = {2, 3, 5};
  const Description desc{aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_NCHW),
                         aclDestroyTensorDesc};
  dims[1] = 7;  // it has a copy
  EXPECT_EQ(aclGetTensorDescType(desc.get()), ACL_FLOAT16);
  EXPECT_EQ(aclGetTensorDescFormat(desc.get()), ACL_FORMAT_NCHW);
  EXPECT_EQ(aclGetTensorDescNumDims(desc.get()), 3U);
  EXPECT_EQ(aclGetTensorDescElementCount(desc.get()), 30U);
  EXPECT_EQ(aclGetTensorDescSize(desc.get()), 60U);
  EXPECT_EQ(aclGetTensorDescDim(desc.get(), 1), 3);
  EXPECT_EQ(aclGetTensorDescDim(desc.get(), 3), -1);
  int64_t dim = 0;
  EXPECT_EQ(aclGetTensorDescDimV2(desc.get(), 2, &dim), 0);
  EXPECT_EQ(dim, 5);
}

TEST(TensorDesc, OfAScalarHasOneElementAndNoDims) {
  const Description desc{aclCreateTensorDesc(ACL_DOUBLE, 0, nullptr, ACL_FORMAT_ND),
                         aclDestroyTensorDesc};
  EXPECT_EQ(aclGetTensorDescNumDims(desc.get()), 0U);
  EXPECT_EQ(aclGetTensorDescElementCount(desc.get()), 1U);
  EXPECT_EQ(aclGetTensorDescSize(desc.get()), 8U);
}

TEST(TensorDesc, CountsNothingWhereADimIsUnknownOrTheNumberDoesNotFit) {
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{4, -1}, {0, 4}, {-1, 0}, {INT64_MAX, 4}, {INT64_MAX / 2, 4}}) {
    const Description desc = describe(ACL_FLOAT, dims);
    EXPECT_EQ(aclGetTensorDescElementCount(desc.get()), 0U) << dims[0];
    EXPECT_EQ(aclGetTensorDescSize(desc.get()), 0U) << dims[0];
    EXPECT_EQ(aclGetTensorDescDim(desc.get(), 1), dims[1]);
  }
  EXPECT_EQ(aclGetTensorDescElementCount(describe(ACL_FLOAT, {INT64_MAX, 0}).get()), 0U);
  EXPECT_EQ(aclGetTensorDescSize(describe(ACL_DT_UNDEFINED, {4}).get()), 0U);
}

TEST(TensorDesc, IsNotMadeOfDimsThatAreNotThere) {
  const int64_t dim = 1;
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, -1, &dim, ACL_FORMAT_ND), nullptr);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 1, nullptr, ACL_FORMAT_ND), nullptr);
}

TEST(TensorDesc, OfNullIsUndefinedAndEmpty) {
  aclDestroyTensorDesc(nullptr);
  EXPECT_EQ(aclGetTensorDescType(nullptr), ACL_DT_UNDEFINED);
  EXPECT_EQ(aclGetTensorDescFormat(nullptr), ACL_FORMAT_UNDEFINED);
  EXPECT_EQ(aclGetTensorDescSize(nullptr), 0U);
  EXPECT_EQ(aclGetTensorDescElementCount(nullptr), 0U);
  EXPECT_EQ(aclGetTensorDescNumDims(nullptr), 0U);
  EXPECT_EQ(aclGetTensorDescDim(nullptr, 0), -1);
  EXPECT_STREQ(aclGetTensorDescName(nullptr), "");
  aclSetTensorDescName(nullptr, "nothing");
}

TEST(TensorDesc, KeepsACopyOfItsName) {
  const Description desc = describe(ACL_FLOAT, {1});
  EXPECT_STREQ(aclGetTensorDescName(desc.get()), "");
  std::string name = "weight";
  aclSetTensorDescName(desc.get(), name.c_str());
  name = "other!";
  EXPECT_STREQ(aclGetTensorDescName(desc.get()), "weight");
  aclSetTensorDescName(desc.get(), nullptr);
  EXPECT_STREQ(aclGetTensorDescName(desc.get()), "");
}

TEST(TensorDesc, StaysWhatItIsWhateverACompilerIsTold) {
  const Description desc = describe(ACL_FLOAT, {2, 3});
  const int64_t other[] = {6};
  int64_t range[2][ACL_TENSOR_SHAPE_RANGE_NUM] = {{1, 2}, {1, 3}};
  float value = 0;
  EXPECT_EQ(aclSetTensorFormat(desc.get(), ACL_FORMAT_FRACTAL_NZ), 0);
  EXPECT_EQ(aclSetTensorShape(desc.get(), 1, other), 0);
  EXPECT_EQ(aclSetTensorShape(desc.get(), 0, nullptr), 0);
  EXPECT_EQ(aclSetTensorShapeRange(desc.get(), 2, range), 0);
  EXPECT_EQ(aclSetTensorConst(desc.get(), &value, sizeof value), 0);
  EXPECT_EQ(aclSetTensorPlaceMent(desc.get(), ACL_MEMTYPE_HOST), 0);
  EXPECT_EQ(aclGetTensorDescFormat(desc.get()), ACL_FORMAT_ND);
  EXPECT_EQ(aclGetTensorDescNumDims(desc.get()), 2U);
}

TEST(OlderInterface, TakesAttributesAndRunsNoOperator) {
  aclopAttr* const attr = aclopCreateAttr();
  ASSERT_NE(attr, nullptr);
  const int64_t axes[] = {0, 1};
  const int64_t* lists[] = {axes};
  const int count[] = {2};
  EXPECT_EQ(aclopSetAttrBool(attr, "keep_dims", 1), 0);
  EXPECT_EQ(aclopSetAttrListInt(attr, "axes", 2, axes), 0);
  EXPECT_EQ(aclopSetAttrListInt(attr, "none", 0, nullptr), 0);
  EXPECT_EQ(aclopSetAttrListListInt(attr, "pads", 1, count, lists), 0);
  EXPECT_EQ(aclSetCompileopt(ACL_OP_JIT_COMPILE, "disable"), 0);
  EXPECT_EQ(aclopSetModelDir("op_models"), 0);
  EXPECT_TRUE(fails(aclopCompileAndExecute("Add", 0, nullptr, nullptr, 0, nullptr, nullptr, attr,
                                           ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, nullptr),
                    207000, {"aclopCompileAndExecute", "aclnnop"}));
  aclopDestroyAttr(attr);
  aclopDestroyAttr(nullptr);
}

TEST(OlderInterface, HasAProfilerAndDumpsThatRecordNothing) {
  uint32_t devices[] = {0};
  EXPECT_EQ(aclprofInit("profile", 7), 0);
  aclprofConfig* const config = aclprofCreateConfig(devices, 1, ACL_AICORE_NONE, nullptr,
                                                    ACL_PROF_ACL_API | ACL_PROF_TASK_TIME);
  ASSERT_NE(config, nullptr);
  EXPECT_EQ(aclprofStart(config), 0);
  EXPECT_EQ(aclprofStop(config), 0);
  EXPECT_EQ(aclprofDestroyConfig(config), 0);
  EXPECT_EQ(aclprofFinalize(), 0);
  EXPECT_EQ(aclprofCreateConfig(nullptr, 1, ACL_AICORE_NONE, nullptr, 0), nullptr);
  EXPECT_EQ(aclmdlInitDump(), 0);
  EXPECT_EQ(aclmdlSetDump("dump.json"), 0);
  EXPECT_EQ(aclmdlFinalizeDump(), 0);
}

class Overflow : public DeviceTest {};

TEST_F(Overflow, StatusIsWrittenInTheStreamsOrderAndSaysThatThereIsNone) {
  constexpr size_t kSize = 64;
  void* status = nullptr;
  ASSERT_EQ(aclrtMalloc(&status, kSize + 1, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  const aclrtStream stream = new_stream();
  EXPECT_EQ(aclrtMemsetAsync(status, kSize + 1, 0xFF, kSize + 1, stream), 0);
  EXPECT_EQ(aclrtResetOverflowStatus(stream), 0);
  EXPECT_EQ(aclrtGetOverflowStatus(status, kSize + 1, stream), 0);
  EXPECT_EQ(aclrtSynchronizeStream(stream), 0);
  std::string bytes(kSize + 1, '?');
  EXPECT_EQ(aclrtMemcpy(bytes.data(), bytes.size(), status, kSize + 1, ACL_MEMCPY_DEVICE_TO_HOST),
            0);
  std::string expected(kSize + 1, '\0');
  expected.back() = '\xFF';  // no byte more
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(aclrtDestroyStream(stream), 0);
  EXPECT_EQ(aclrtFree(status), 0);
}

TEST_F(Overflow, ModesAreTakenAndFailedMemoryIsNone) {
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION), 0);
  EXPECT_EQ(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_INFNAN), 0);
  size_t found = 3;
  EXPECT_EQ(aclrtGetMemUceInfo(0, nullptr, 0, &found), 0);
  EXPECT_EQ(found, 0U);
}

}  // namespace
}  // namespace aclgrad::test
