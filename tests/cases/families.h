// SPDX-License-Identifier: Apache-2.0
// The rows of each operator family.
#ifndef ACLGRAD_TESTS_CASES_FAMILIES_H_
#define ACLGRAD_TESTS_CASES_FAMILIES_H_

#include "tests/cases/case.h"

namespace aclgrad::cases {

std::vector<Case> book_cases();  // every entry of the operator book, with each of its samples
std::vector<Case> arithmetic_cases();
std::vector<Case> matmul_cases();
std::vector<Case> reduction_cases();
std::vector<Case> movement_cases();
std::vector<Case> optimizer_cases();
std::vector<Case> random_cases();

}  // namespace aclgrad::cases

#endif  // ACLGRAD_TESTS_CASES_FAMILIES_H_
