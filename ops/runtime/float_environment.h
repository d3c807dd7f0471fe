// SPDX-License-Identifier: Apache-2.0
// The floating-point environment that operators compute in: the default one of the C standard,
// whatever the calling program has set (rounding, flushing of subnormals, traps), so that results
// depend neither on the program nor on the thread that happens to do the work.
#ifndef ACLGRAD_OPS_RUNTIME_FLOAT_ENVIRONMENT_H_
#define ACLGRAD_OPS_RUNTIME_FLOAT_ENVIRONMENT_H_

#include <cfenv>
#include <cstdint>

namespace aclgrad::runtime {

// The registers that vectors and scalars obey. C's <cfenv> knows them too, but takes a hundred
// cycles, and not every library's resets what flushes subnormals.
struct FloatRegisters {
  uint64_t control = 0;  // what is set
  uint64_t flags = 0;    // which exceptions were raised since

  bool operator==(const FloatRegisters&) const = default;

#if defined(__x86_64__)
  static constexpr uint32_t kFlags = 0x3f;
  static constexpr uint32_t kDefault = 0x1f80;  // of MXCSR: all exceptions masked, to nearest
  static constexpr uint16_t kDefaultX87 = 0x37f;

  static FloatRegisters read() {
    uint32_t mxcsr = 0;
    uint16_t x87 = 0;
    asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87) : : "memory");
    return {uint64_t{x87} << 32 | (mxcsr & ~kFlags), mxcsr & kFlags};
  }
  void write() const {
    const auto mxcsr = static_cast<uint32_t>(control | flags);
    const auto x87 = static_cast<uint16_t>(control >> 32);
    asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(x87) : "memory");
  }
  static FloatRegisters standard() { return {uint64_t{kDefaultX87} << 32 | kDefault, 0}; }
#elif defined(__aarch64__)
  static FloatRegisters read() {
    FloatRegisters now;
    asm volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(now.control), "=r"(now.flags) : : "memory");
    return now;
  }
  void write() const {
    asm volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(control), "r"(flags) : "memory");
  }
  static FloatRegisters standard() { return {}; }
#else
  // Nothing is known to be cheaper than <cfenv>.
  static FloatRegisters read() { return {1, 0}; }
  void write() const {}
  static FloatRegisters standard() { return {0, 0}; }
#endif
};

inline void set_default_float_environment() {
  std::fesetenv(FE_DFL_ENV);
  FloatRegisters::standard().write();
}

// The calling thread is in the default environment while this lives, and then in its own again,
// with the exceptions that it had seen. Costs next to nothing where it is the default one already.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : before_(FloatRegisters::read()) {
    if (before_.control == FloatRegisters::standard().control) return;
    is_other_ = true;
    std::fegetenv(&environment_);
    set_default_float_environment();
  }
  ~DefaultFloatEnvironment() {
    if (is_other_) std::fesetenv(&environment_);
    if (FloatRegisters::read() != before_) before_.write();
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  FloatRegisters before_;
  bool is_other_ = false;
  std::fenv_t environment_;  // if it is another one
};

}  // namespace aclgrad::runtime

#endif  // ACLGRAD_OPS_RUNTIME_FLOAT_ENVIRONMENT_H_
