// SPDX-License-Identifier: Apache-2.0
// The objects behind the opaque handles of aclnn/acl_meta.h.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "aclnn/acl_meta.h"
#include "ops/meta/dims.h"
#include "ops/meta/result_shape.h"

struct aclTensor {
  aclgrad::ops::Dims view_shape;
  aclgrad::ops::Dims view_strides;  // in elements
  int64_t offset = 0;               // in elements
  aclDataType dtype = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;
  aclgrad::ops::Dims storage_shape;
  void* data = nullptr;           // base address, without the offset
  aclgrad::ops::TensorLink link;  // to tasks that give it its shape
};

struct aclScalar {
  aclDataType dtype = ACL_DT_UNDEFINED;
  alignas(16) unsigned char value[16] = {};

  // C++ casts of the stored value. Complex to real gives the real part's place to 0, as the
  // contract says for floats; a float counts as true from machine epsilon on.
  double to_double() const;
  float to_float() const { return static_cast<float>(to_double()); }
  int64_t to_int64() const;
  std::complex<double> to_complex() const;
  bool to_bool() const;
};

struct aclIntArray {
  std::vector<int64_t> values;
};

struct aclFloatArray {
  std::vector<float> values;
};

struct aclBoolArray {
  std::vector<char> values;
};

struct aclTensorList {
  std::vector<const aclTensor*> elements;
};

struct aclScalarList {
  std::vector<const aclScalar*> elements;
};

namespace aclgrad::ops {

// Walking from the last dimension and ignoring sizes of 1, every stride is the product of the later
// sizes. Tensors of at most one element and tensors in a private format always count.
bool is_contiguous(const aclTensor& tensor);

// Whether it would be contiguous with its last two dimensions exchanged.
bool is_transposed(const aclTensor& tensor);

// Some size is 0; a 0-d tensor is not empty.
bool is_empty(const aclTensor& tensor);

// Whether every element of the view lies inside the storage.
bool fits_storage(const aclTensor& tensor);

// Whether every element of the view lies inside one live allocation of the runtime's, although the
// storage, which must have a size, may be smaller.
bool fits_allocation(const aclTensor& tensor);

bool is_private_format(aclFormat format);

}  // namespace aclgrad::ops
