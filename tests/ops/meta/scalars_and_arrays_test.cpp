// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "ops/meta/tensor.h"
#include "tests/ops/meta/from_number.h"
#include "tests/ops/support/acl_fixture.h"

namespace {

using ::aclgrad::testing::recent_message;
using ::testing::HasSubstr;

template <class T>
aclScalar read(T value, aclDataType dtype) {
  aclScalar* handle = aclCreateScalar(&value, dtype);
  EXPECT_NE(handle, nullptr);
  value = T{};  // the scalar holds a copy
  aclScalar copy = *handle;
  EXPECT_EQ(aclDestroyScalar(handle), 0);
  return copy;
}

TEST(Scalar, EveryRealTypeReadsItsOwnValue) {
  EXPECT_EQ(read(1.25f, ACL_FLOAT).to_double(), 1.25);
  EXPECT_EQ(read(1e300, ACL_DOUBLE).to_double(), 1e300);
  EXPECT_EQ(read<int8_t>(-128, ACL_INT8).to_double(), -128.0);
  EXPECT_EQ(read<uint8_t>(255, ACL_UINT8).to_double(), 255.0);
  EXPECT_EQ(read<int16_t>(-300, ACL_INT16).to_double(), -300.0);
  EXPECT_EQ(read<uint16_t>(65535, ACL_UINT16).to_double(), 65535.0);
  EXPECT_EQ(read<int32_t>(-70000, ACL_INT32).to_double(), -70000.0);
  EXPECT_EQ(read<uint32_t>(4000000000u, ACL_UINT32).to_double(), 4e9);
  EXPECT_EQ(read<uint64_t>(1ull << 63, ACL_UINT64).to_double(), 0x1p63);
  EXPECT_EQ(read<uint8_t>(2, ACL_BOOL).to_double(), 1.0);
  const int64_t large = (int64_t{1} << 62) + 1;
  EXPECT_EQ(read(large, ACL_INT64).to_int64(), large);
}

TEST(Scalar, SixteenBitFloatsAreBitPatterns) {
  EXPECT_EQ(read<uint16_t>(0x3C00, ACL_FLOAT16).to_double(), 1.0);
  EXPECT_EQ(read<uint16_t>(0xC500, ACL_FLOAT16).to_double(), -5.0);
  EXPECT_EQ(read<uint16_t>(0x0001, ACL_FLOAT16).to_double(), 0x1p-24);
  EXPECT_EQ(read<uint16_t>(0x7BFF, ACL_FLOAT16).to_double(), 65504.0);
  EXPECT_EQ(read<uint16_t>(0xFC00, ACL_FLOAT16).to_double(),
            -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(read<uint16_t>(0x7E00, ACL_FLOAT16).to_double()));
  EXPECT_EQ(read<uint16_t>(0x3FC0, ACL_BF16).to_double(), 1.5);
}

TEST(Scalar, ConvertsLikeACast) {
  EXPECT_EQ(read(-2.9, ACL_DOUBLE).to_int64(), -2);
  EXPECT_EQ(read(1e30, ACL_DOUBLE).to_int64(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(read(-1e30, ACL_DOUBLE).to_int64(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(read(std::nan(""), ACL_DOUBLE).to_int64(), 0);
  EXPECT_TRUE(read(-1, ACL_INT32).to_bool());
  EXPECT_FALSE(read(0, ACL_INT32).to_bool());
  EXPECT_FALSE(read(1e-9, ACL_DOUBLE).to_bool());  // below machine epsilon of FLOAT
  EXPECT_TRUE(read(1e-6, ACL_DOUBLE).to_bool());
  const std::complex<float> z(1.5f, -2.0f);
  EXPECT_EQ(read(z, ACL_COMPLEX64).to_complex(), std::complex<double>(1.5, -2.0));
  EXPECT_EQ(read(std::complex<double>(3, 4), ACL_COMPLEX128).to_complex(),
            std::complex<double>(3, 4));
  EXPECT_EQ(read(z, ACL_COMPLEX64).to_double(), 0.0);
  EXPECT_EQ(read(7, ACL_INT32).to_complex(), std::complex<double>(7, 0));
}

TEST(Scalar, HoldsExactlyTheDocumentedTypes) {
  double value[2] = {};
  for (aclDataType dtype :
       {ACL_FLOAT,       ACL_FLOAT16,     ACL_BF16,          ACL_DOUBLE,      ACL_INT8,
        ACL_UINT8,       ACL_INT16,       ACL_UINT16,        ACL_INT32,       ACL_UINT32,
        ACL_INT64,       ACL_UINT64,      ACL_BOOL,          ACL_COMPLEX64,   ACL_COMPLEX128,
        ACL_HIFLOAT8,    ACL_FLOAT8_E5M2, ACL_FLOAT8_E4M3FN, ACL_FLOAT8_E8M0, ACL_FLOAT6_E3M2,
        ACL_FLOAT6_E2M3, ACL_FLOAT4_E2M1, ACL_FLOAT4_E1M2}) {
    aclScalar* scalar = aclCreateScalar(value, dtype);
    EXPECT_NE(scalar, nullptr) << dtype;
    EXPECT_EQ(aclDestroyScalar(scalar), 0);
  }
  recent_message();
  for (aclDataType dtype : {ACL_DT_UNDEFINED, ACL_STRING, ACL_INT4, ACL_UINT1, ACL_COMPLEX32,
                            from_number<aclDataType>(99)}) {
    EXPECT_EQ(aclCreateScalar(value, dtype), nullptr) << dtype;
    EXPECT_THAT(recent_message(), HasSubstr("EZ1006")) << dtype;
  }
  EXPECT_EQ(aclCreateScalar(nullptr, ACL_FLOAT), nullptr);
  const std::string message = recent_message();
  EXPECT_THAT(message, HasSubstr("EZ1011"));
  EXPECT_THAT(message, HasSubstr("aclCreateScalar"));
  EXPECT_THAT(message, HasSubstr("value"));
}

TEST(Scalar, DestroyTwiceIsAnError) {
  float value = 1;
  aclScalar* scalar = aclCreateScalar(&value, ACL_FLOAT);
  EXPECT_EQ(aclDestroyScalar(nullptr), 0);
  EXPECT_EQ(aclDestroyScalar(scalar), 0);
  EXPECT_EQ(aclDestroyScalar(scalar), 161002);
}

TEST(Arrays, CopyTheirValues) {
  int64_t integers[] = {1, -2, 3};
  float floats[] = {0.5f};
  bool flags[] = {true, false};
  aclIntArray* ints = aclCreateIntArray(integers, 3);
  aclFloatArray* reals = aclCreateFloatArray(floats, 1);
  aclBoolArray* bools = aclCreateBoolArray(flags, 2);
  integers[1] = 9;
  EXPECT_THAT(ints->values, ::testing::ElementsAre(1, -2, 3));
  uint64_t size = 0;
  EXPECT_EQ(aclGetIntArraySize(ints, &size), 0);
  EXPECT_EQ(size, 3u);
  EXPECT_EQ(aclGetFloatArraySize(reals, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(aclGetBoolArraySize(bools, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclGetIntArraySize(ints, nullptr), 161001);
  EXPECT_EQ(aclGetBoolArraySize(bools, nullptr), 161001);
  EXPECT_EQ(aclDestroyIntArray(ints), 0);
  EXPECT_EQ(aclDestroyIntArray(ints), 161002);
  EXPECT_EQ(aclDestroyFloatArray(reals), 0);
  EXPECT_EQ(aclDestroyBoolArray(bools), 0);
  EXPECT_EQ(aclDestroyIntArray(nullptr), 0);
}

TEST(Arrays, NullOrSizeZeroIsEmpty) {
  const int64_t value = 4;
  uint64_t size = 7;
  for (aclIntArray* array : {aclCreateIntArray(nullptr, 5), aclCreateIntArray(&value, 0)}) {
    ASSERT_NE(array, nullptr);
    EXPECT_EQ(aclGetIntArraySize(array, &size), 0);
    EXPECT_EQ(size, 0u);
    aclDestroyIntArray(array);
  }
}

TEST(Lists, OwnTheirElements) {
  float value = 2;
  const aclScalar* scalars[] = {aclCreateScalar(&value, ACL_FLOAT),
                                aclCreateScalar(&value, ACL_FLOAT)};
  aclScalarList* scalar_list = aclCreateScalarList(scalars, 2);
  uint64_t size = 0;
  EXPECT_EQ(aclGetScalarListSize(scalar_list, &size), 0);
  EXPECT_EQ(size, 2u);
  EXPECT_EQ(aclDestroyScalarList(scalar_list), 0);
  EXPECT_EQ(aclDestroyScalar(scalars[0]), 161002) << "the list destroyed it already";

  const aclTensor* tensors[] = {
      aclCreateTensor(nullptr, 0, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, nullptr, 0, nullptr)};
  aclTensorList* tensor_list = aclCreateTensorList(tensors, 1);
  EXPECT_EQ(aclGetTensorListSize(tensor_list, &size), 0);
  EXPECT_EQ(size, 1u);
  EXPECT_EQ(aclDestroyTensorList(tensor_list), 0);
  EXPECT_EQ(aclDestroyTensorList(tensor_list), 161002);
  EXPECT_EQ(aclDestroyTensor(tensors[0]), 161002);
  EXPECT_EQ(aclDestroyTensorList(nullptr), 0);
  EXPECT_EQ(aclDestroyScalarList(nullptr), 0);
}

}  // namespace
