// SPDX-License-Identifier: Apache-2.0
#ifndef ACLGRAD_AUTOGRAD_LIVE_BROWSER_H_
#define ACLGRAD_AUTOGRAD_LIVE_BROWSER_H_

#include <string>

namespace aclgrad::live {

/// Has the desktop open an address, where there is a desktop; else does nothing.
void open_browser(const std::string& address);

}  // namespace aclgrad::live

#endif  // ACLGRAD_AUTOGRAD_LIVE_BROWSER_H_
