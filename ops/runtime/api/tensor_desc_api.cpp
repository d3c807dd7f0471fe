// SPDX-License-Identifier: Apache-2.0
// Descriptions of tensors: plain data of the host.
#include <memory>
#include <string>
#include <vector>

#include "acl/acl_base_mdl.h"
#include "ops/runtime/call/call.h"

// The opaque type of the public header.
struct aclTensorDesc {
  aclDataType dtype;
  aclFormat format;
  std::vector<int64_t> dims;
  std::string name = {};
};

using namespace aclgrad::runtime;

namespace {

// The product of the dims and `size`; 0 where one is not known, and where it does not fit.
size_t product(const std::vector<int64_t>& dims, size_t size) {
  int64_t result = static_cast<int64_t>(size);
  bool is_empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return 0;
    is_empty = is_empty || dim == 0;
  }
  if (is_empty) return 0;
  for (const int64_t dim : dims) {
    if (__builtin_mul_overflow(result, dim, &result)) return 0;
  }
  return static_cast<size_t>(result);
}

}  // namespace

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims,
                                   aclFormat format) try {
  if (numDims < 0 || (dims == nullptr && numDims > 0)) return nullptr;
  return new aclTensorDesc{dataType, format, std::vector<int64_t>(dims, dims + numDims)};
} catch (const std::exception&) {
  return nullptr;  // out of memory
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) { delete desc; }

aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  return desc == nullptr ? ACL_DT_UNDEFINED : desc->dtype;
}

aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  return desc == nullptr ? ACL_FORMAT_UNDEFINED : desc->format;
}

size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  return desc == nullptr ? 0 : product(desc->dims, aclDataTypeSize(desc->dtype));
}

size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
  return desc == nullptr ? 0 : product(desc->dims, 1);
}

size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  return desc == nullptr ? 0 : desc->dims.size();
}

int64_t aclGetTensorDescDim(const aclTensorDesc* desc, size_t index) {
  return desc == nullptr || index >= desc->dims.size() ? -1 : desc->dims[index];
}

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  return entry(__func__, [&](const Call& call) {
    call.require(desc, "desc");
    call.require(dimSize, "dimSize");
    if (index >= desc->dims.size()) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "index", index,
                     fmt::format("less than {}, the number of dims", desc->dims.size()).c_str());
    }
    *dimSize = desc->dims[index];
  });
}

const char* aclGetTensorDescName(aclTensorDesc* desc) {
  return desc == nullptr ? "" : desc->name.c_str();
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) try {
  if (desc != nullptr) desc->name = name == nullptr ? "" : name;
} catch (const std::bad_alloc&) {
  // The name stays what it was: the call has no status to tell it by.
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat) {
  return entry(__func__, [&](const Call& call) { call.require(desc, "desc"); });
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return entry(__func__, [&](const Call& call) {
    call.require(desc, "desc");
    if (numDims < 0) call.bad_value(ACL_ERROR_INVALID_PARAM, "numDims", numDims, "at least 0");
    if (numDims > 0) call.require(dims, "dims");
  });
}

aclError aclSetTensorShapeRange(aclTensorDesc* desc, size_t dimsCount,
                                int64_t dimsRange[][ACL_TENSOR_SHAPE_RANGE_NUM]) {
  return entry(__func__, [&](const Call& call) {
    call.require(desc, "desc");
    if (dimsCount > 0) call.require(dimsRange, "dimsRange");
  });
}

aclError aclSetTensorConst(aclTensorDesc* desc, void* dataBuffer, size_t length) {
  return entry(__func__, [&](const Call& call) {
    call.require(desc, "desc");
    call.require(dataBuffer, "dataBuffer");
    if (length == 0) call.bad_value(ACL_ERROR_INVALID_PARAM, "length", length, "more than 0");
  });
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType memType) {
  return entry(__func__, [&](const Call& call) {
    call.require(desc, "desc");
    if (!is_member(memType, ACL_MEMTYPE_DEVICE, ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT)) {
      call.bad_value(ACL_ERROR_INVALID_PARAM, "memType", static_cast<int>(memType),
                     "a value of aclMemType (0..2)");
    }
  });
}
