// SPDX-License-Identifier: Apache-2.0
// What contracts of reductions share.
#pragma once

#include "ops/contract/dense.h"
#include "ops/contract/describe.h"

namespace aclgrad::contract {

// Gives the results the shape that the dimensions and the flag of a call say, and out the dtype.
void reduce_shape(Arguments& a);

// f of the elements over the dimensions of a call.
Array reduced_by(const Arguments& a, const Array& self,
                 const std::function<Number(const std::vector<Number>&)>& f);

// Reductions of many elements, by the name of the list of dimensions.
std::vector<Sample> large_samples(const char* dims, Sample with = {});
// Over all, several and one dimension, and into FLOAT.
std::vector<Sample> samples_over(const char* dims, const char* keep);

// Of a dtype of its own, and of any other that integers convert to.
inline Parameter index_result(std::string name) {
  return any_dtype(typed(shaped(out(std::move(name)), {2}), ACL_INT64));
}

// What has files of its own.
void add_extrema(std::vector<Operator>& all);
void add_folds(std::vector<Operator>& all);
void add_distances(std::vector<Operator>& all);

}  // namespace aclgrad::contract
