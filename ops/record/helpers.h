// SPDX-License-Identifier: Apache-2.0
// Threads of the recorder, which help the program's thread to look at what a call has.
#pragma once

#include <cstddef>
#include <functional>

namespace aclgrad::record {

// Calls work(count - 1) to work(0), several at a time and in no certain order, and returns when all
// are done. It must not throw.
void share_out(size_t count, std::function<void(size_t)> work);

// In a forked child, which has none of its parent's threads.
void forget_helpers();

}  // namespace aclgrad::record
