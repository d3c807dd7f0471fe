// SPDX-License-Identifier: Apache-2.0
// Elementwise functions beside those of arithmetic.h. Those of one tensor have its shape and dtype;
// several tensors broadcast against each other and promote to their common dtype. All tensors must
// be floating, where nothing else is said: DTypeError otherwise. Values and gradients are those of
// PyTorch's functions of the same names.
#pragma once

#include "aclgrad/graph.h"
#include "aclgrad/graph/declaration.h"

namespace aclgrad {

// ---- Powers and logarithms ----------------------------------------------------------------------

/// x x; whole numbers too, which wrap. Throws DTypeError for bool.
Value square(Operand x);
/// 2^x.
Value exp2(Operand x);
/// e^x - 1, with all digits near 0.
Value expm1(Operand x);
/// The logarithm of 1 + x, with all digits near 0; -infinity at -1, NaN below.
Value log1p(Operand x);
/// The logarithms to the bases 2 and 10.
Value log2(Operand x);
Value log10(Operand x);

// ---- Angles -------------------------------------------------------------------------------------

/// The tangent of x in radians, and the inverses of tangent, sine and cosine; asin and acos of what
/// is beyond -1 and 1 are NaN.
Value tan(Operand x);
Value atan(Operand x);
Value asin(Operand x);
Value acos(Operand x);
/// The hyperbolic sine and cosine, and the inverses of hyperbolic sine, cosine and tangent; acosh
/// of less than 1, and atanh beyond -1 and 1, are NaN.
Value sinh(Operand x);
Value cosh(Operand x);
Value asinh(Operand x);
Value acosh(Operand x);
Value atanh(Operand x);
/// sin(pi x) / (pi x), 1 at 0.
Value sinc(Operand x);
/// The angle of the point (x, y), from -pi to pi; its gradients are NaN at (0, 0).
Value atan2(Operand y, const Value& x);

// ---- Special functions --------------------------------------------------------------------------

/// 1 - erf(x), with all digits of small results.
Value erfc(Operand x);
/// The y whose erf is x; infinities at -1 and 1, NaN beyond.
Value erfinv(Operand x);
/// The logarithm of the gamma function's magnitude. Its gradient has none of its own.
Value lgamma(Operand x);
/// The derivative of lgamma. It has no gradient: backward() throws ValueError.
Value digamma(Operand x);

// ---- Of several tensors -------------------------------------------------------------------------

/// The logarithms of e^a + e^b and, to the base 2, of 2^a + 2^b, without an overflow.
Value logaddexp(Operand a, const Value& b);
Value logaddexp2(Operand a, const Value& b);
/// x log(y), and 0 where x is 0 and y no NaN. The gradients are 0 where x is 0 and log(y) no
/// number.
Value xlogy(Operand x, const Value& y);
/// start + weight (end - start); a weight of 1 gives end exactly, and one beyond 0 and 1 is right,
/// too. A number beside tensors of 16 bits counts as float32. Throws ValueError for one that is
/// beyond it.
Value lerp(Operand start, const Value& end, const Value& weight);
Value lerp(Operand start, const Value& end, double weight);
/// |a| with the sign of b, also of -0 and NaN. The gradient is a's, and 0 where a is; b has none.
Value copysign(Operand a, const Value& b);
/// 0 where x < 0, 1 where x > 0, values where x is 0, NaN where it is NaN; whole numbers too.
/// The gradient goes to the values that were taken; x's is 0. Throws DTypeError for bool.
Value heaviside(Operand x, const Value& values);

struct LerpAttributes {
  double weight;
  auto arguments() const { return named({"weight"}, weight); }
};

namespace calls {
extern const Declaration<> square, exp2, expm1, log1p, log2, log10;
extern const Declaration<> tan, atan, asin, acos, sinh, cosh, asinh, acosh, atanh, sinc, atan2;
extern const Declaration<> erfc, erfinv, lgamma, digamma;
extern const Declaration<> logaddexp, logaddexp2, lerp, heaviside;
extern const Declaration<LerpAttributes> lerp_number;
}  // namespace calls

using SquareOp = DeclaredOp<calls::square>;
using Exp2Op = DeclaredOp<calls::exp2>;
using Expm1Op = DeclaredOp<calls::expm1>;
using Log1pOp = DeclaredOp<calls::log1p>;
using Log2Op = DeclaredOp<calls::log2>;
using Log10Op = DeclaredOp<calls::log10>;
using TanOp = DeclaredOp<calls::tan>;
using AtanOp = DeclaredOp<calls::atan>;
using AsinOp = DeclaredOp<calls::asin>;
using AcosOp = DeclaredOp<calls::acos>;
using SinhOp = DeclaredOp<calls::sinh>;
using CoshOp = DeclaredOp<calls::cosh>;
using AsinhOp = DeclaredOp<calls::asinh>;
using AcoshOp = DeclaredOp<calls::acosh>;
using AtanhOp = DeclaredOp<calls::atanh>;
using SincOp = DeclaredOp<calls::sinc>;
using Atan2Op = DeclaredOp<calls::atan2>;
using ErfcOp = DeclaredOp<calls::erfc>;
using ErfinvOp = DeclaredOp<calls::erfinv>;
using LgammaOp = DeclaredOp<calls::lgamma>;
using DigammaOp = DeclaredOp<calls::digamma>;
using LogaddexpOp = DeclaredOp<calls::logaddexp>;
using Logaddexp2Op = DeclaredOp<calls::logaddexp2>;
using LerpOp = DeclaredOp<calls::lerp>;
using LerpNumberOp = DeclaredOp<calls::lerp_number>;
using HeavisideOp = DeclaredOp<calls::heaviside>;

}  // namespace aclgrad
