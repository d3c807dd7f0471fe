// SPDX-License-Identifier: Apache-2.0
#include "live/browser.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

extern char** environ;

namespace aclgrad::live {

// The shell leaves at once, and what it has started is nobody's child here: nothing waits for it.
void open_browser(const std::string& address) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  std::string shell = "/bin/sh", option = "-c", name = "sh", place = address;
  std::string line = "xdg-open \"$1\" >/dev/null 2>&1 &";
  char* const arguments[] = {shell.data(), option.data(), line.data(),
                             name.data(),  place.data(),  nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, shell.c_str(), nullptr, nullptr, arguments, environ) == 0) {
    waitpid(child, nullptr, 0);
  }
}

}  // namespace aclgrad::live
