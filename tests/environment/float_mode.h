// SPDX-License-Identifier: Apache-2.0
// What a program may have done to the floating-point environment of its threads.
#pragma once

#include <cfenv>
#include <cstdint>
#include <vector>

namespace aclgrad::test {

struct FloatMode {
  const char* name;
  void (*enter)();
};

inline void flush_subnormals() {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040U);  // FTZ and DAZ
#elif defined(__aarch64__)
  uint64_t control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | uint64_t{1} << 24));
#endif
}

inline const std::vector<FloatMode>& float_modes() {
  static const std::vector<FloatMode> modes = {
    {"FlushingSubnormals", flush_subnormals},
    {"RoundingUpward", [] { std::fesetround(FE_UPWARD); }},
    {"RoundingDownward", [] { std::fesetround(FE_DOWNWARD); }},
    {"RoundingTowardZero", [] { std::fesetround(FE_TOWARDZERO); }},
#if defined(__x86_64__)
    {"Trapping", [] { feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW); }},
#endif
  };
  return modes;
}

// All that a program can set, and the exceptions that it has seen.
inline uint64_t float_state() {
#if defined(__x86_64__)
  uint16_t x87 = 0;
  asm volatile("fnstcw %0" : "=m"(x87));
  return uint64_t{x87} << 32 | __builtin_ia32_stmxcsr();
#elif defined(__aarch64__)
  uint64_t control = 0;
  uint64_t flags = 0;
  asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(control), "=r"(flags));
  return control << 32 | flags;
#else
  return static_cast<uint64_t>(std::fegetround());
#endif
}

// The calling thread is in the mode while this lives. Null: in the default one.
class InFloatMode {
 public:
  explicit InFloatMode(const FloatMode* mode) {
    std::fegetenv(&before_);
    if (mode != nullptr) mode->enter();
  }
  ~InFloatMode() { std::fesetenv(&before_); }
  InFloatMode(const InFloatMode&) = delete;
  InFloatMode& operator=(const InFloatMode&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace aclgrad::test
