// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_FRAMEWORK_IO_SHOWN_H_
#define ACLGRAD_FRAMEWORK_IO_SHOWN_H_

#include <string>
#include <string_view>

namespace aclgrad::detail {

/// A name out of a file for a message: in double quotes, bounded, always printable.
std::string shown(std::string_view name);

}  // namespace aclgrad::detail

#endif  // ACLGRAD_FRAMEWORK_IO_SHOWN_H_
