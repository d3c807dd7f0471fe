// SPDX-License-Identifier: Apache-2.0
// The framework's side of the C interface: bringing the runtime up, and turning its status codes
// into exceptions.
#pragma once

#include <string_view>

namespace aclgrad {

/// Makes sure that aclInit was called in this process, and that this thread has a device: 0, unless
/// use_device(), aclrtSetDevice or aclrtSetCurrentContext chose another. Cheap after the first call
/// of a thread; everything that touches a device calls it. Throws StatusError.
void ensure_runtime();

/// From now on this thread works with that device. Variables, streams and sessions belong to the
/// device of the thread that makes them. Throws StatusError for a device that does not exist.
void use_device(int device);

/// Number of devices. Throws StatusError.
int device_count();

/// Has the process have at least so many devices, where the library can make some (ours: up to 16);
/// returns how many there are now. Throws StatusError.
int ensure_devices(int count);

/// Throws StatusError unless `status` is 0. The message reads "`where`: `function` returned
/// `status` (`meaning`): text of aclGetRecentErrMsg", which repeats neither function nor status;
/// `where` may be empty and names a node otherwise, and without a meaning there is none.
void check_status(int status, std::string_view function, std::string_view where = {},
                  std::string_view meaning = {});

/// Number of CPU threads that operators may use; 0 restores the default. Results do not depend on
/// it. Returns false, and does nothing, on an operator library without such a setting (the
/// vendor's). Throws StatusError for a negative count.
bool set_num_threads(int count);

/// The number now in force; 0 on a library without such a setting.
int num_threads();

}  // namespace aclgrad
