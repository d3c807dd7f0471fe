// SPDX-License-Identifier: Apache-2.0
// The floating-point environment that operators compute in: the default one of the C standard,
// whatever the calling program has set (rounding, flushing of subnormals, traps), so that results
// depend neither on the program nor on the thread that happens to do the work.
#pragma once

#include <cfenv>
#include <cstdint>

namespace aclgrad::runtime {

// Whether the calling thread computes in the default one; exceptions that were raised do not count.
// C's <cfenv> cannot read it without changing something, takes a hundred cycles, and knows nothing
// of subnormals.
inline bool is_default_float_environment() {
#if defined(__x86_64__)
  constexpr uint32_t kRaised = 0x3f;
  constexpr uint32_t kDefault = 0x1f80;  // all exceptions masked, to nearest
  return (__builtin_ia32_stmxcsr() & ~kRaised) == kDefault;
#elif defined(__aarch64__)
  uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control == 0;
#else
  return false;
#endif
}

inline void set_default_float_environment() {
  std::fesetenv(FE_DFL_ENV);
  // Not every library's resets what flushes subnormals.
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(0x1f80);
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(uint64_t{0}));
#endif
}

// The calling thread is in the default environment while this lives, and then in its own again.
// Where that is the default one, it costs one look at a register.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    if (is_default_float_environment()) return;
    is_other_ = true;
    std::fegetenv(&other_);
#if defined(__aarch64__)
    asm volatile("mrs %0, fpcr" : "=r"(control_));
#endif
    set_default_float_environment();
  }
  ~DefaultFloatEnvironment() {
    if (!is_other_) return;
    std::fesetenv(&other_);
#if defined(__aarch64__)
    asm volatile("msr fpcr, %0" : : "r"(control_));
#endif
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  bool is_other_ = false;
  std::fenv_t other_;
#if defined(__aarch64__)
  uint64_t control_ = 0;  // with the bits that fesetenv leaves as they are
#endif
};

// Runs a task in the default environment, which is there, and leaves that behind, whatever the task
// has set, and however it ends.
template <class Function>
auto run_without_trace(const Function& run, void* argument) {
  const struct Afterwards {
    ~Afterwards() {
      if (!is_default_float_environment()) set_default_float_environment();
    }
  } afterwards;
  return run(argument);
}

}  // namespace aclgrad::runtime
