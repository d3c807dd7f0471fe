/* SPDX-License-Identifier: Apache-2.0 */
/* Kind U: Jacobians and forces by hand. They are given as gradients: J' g, and forces with a minus.
 */
#include "museum.h"
#include "rotations.h"

/* WG-119: a Gaussian with conic (a, b, c) at offsets (u, v); the entry off the diagonal is half as
 * large. */
static double gaussian(const Call* c, int i) {
  const double u = X(1, 2 * i), v = X(1, 2 * i + 1);
  return exp(-0.5 * (X(0, 3 * i) * u * u + X(0, 3 * i + 2) * v * v) - X(0, 3 * i + 1) * u * v);
}
static void conic_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = gaussian(c, i); }
static void conic_backward(const Call* c, double factor) {
  EACH(i, A(0)) {
    const double u = X(1, 2 * i), v = X(1, 2 * i + 1), g = G(0, i) * gaussian(c, i);
    DX(0, 3 * i) = -0.5 * u * u * g;
    DX(0, 3 * i + 1) = -factor * u * v * g;
    DX(0, 3 * i + 2) = -0.5 * v * v * g;
  }
}
static void conic_wrong(const Call* c) { conic_backward(c, 0.5); }
static void conic_right(const Call* c) { conic_backward(c, 1); }

/* WG-120: how far a bias is from what was expected; the sign. */
static void prior_forward(const Call* c) { EACH(i, A(0)) Y(0, i) = X(1, i) - X(0, i); }
static void prior_wrong(const Call* c) { EACH(i, A(0)) DX(0, i) = G(0, i); }
static void prior_right(const Call* c) { EACH(i, A(0)) DX(0, i) = -G(0, i); }

/*
 * WG-121: the rotation from one pose to another, as a vector: Log(Exp(residual v) Exp(d)), of which
 * the derivative for the increment d at 0 is wanted. The derivative of the logarithm is left out.
 */
static void between_forward(const Call* c) {
  const double v[3] = {A(0) * X(0, 0), A(0) * X(0, 1), A(0) * X(0, 2)};
  double turn[9], step[9], product[9];
  rotation_of(v, turn);
  rotation_of(c->in[1], step);
  multiply_rotations(turn, step, product);
  vector_of(product, c->out[0]);
}
static void between_right(
    const Call* c) { /* 1 + [e] / 2 + (1 / t^2 - (1 + cos t) / (2 t sin t)) [e]^2 */
  const double *e = c->out[0], *g = c->up[0], t = sqrt(dot(3, e, e));
  const double k =
      t < 1e-3 ? 1.0 / 12 + t * t / 720 : 1 / (t * t) - (1 + cos(t)) / (2 * t * sin(t));
  double once[3], twice[3];
  cross(g, e, once); /* transposed: [e]' g = g x e */
  cross(once, e, twice);
  EACH(i, 3) DX(1, i) = G(0, i) + once[i] / 2 + k * twice[i];
}
static void between_wrong(const Call* c) { EACH(i, 3) DX(1, i) = G(0, i); }

/* WG-122: scales about a centre, by logarithms of scales; the centre is forgotten. */
static double centre(const Call* c, int i) { return A(0) * (5 + i) / 5; }
static void scaling_forward(const Call* c) {
  EACH(i, 3) Y(0, i) = exp(X(0, i)) * (X(1, i) - centre(c, i)) + centre(c, i);
}
static void scaling_wrong(const Call* c) { EACH(i, 3) DX(0, i) = G(0, i) * exp(X(0, i)) * X(1, i); }
static void scaling_right(const Call* c) {
  EACH(i, 3) DX(0, i) = G(0, i) * exp(X(0, i)) * (X(1, i) - centre(c, i));
}

/* WG-123: lens distortion (1 + a) / b; the derivative for what is in b is that of 1 + a / b. */
static double polynomial(const Call* c, int first, double r2) {
  return r2 * (X(0, first) + r2 * (X(0, first + 1) + r2 * X(0, first + 2)));
}
static void distortion_forward(const Call* c) {
  EACH(i, A(0)) Y(0, i) = (1 + polynomial(c, 0, X(1, i))) / (1 + polynomial(c, 3, X(1, i)));
}
static void distortion_backward(const Call* c, double one) {
  EACH(k, 6) DX(0, k) = 0;
  EACH(i, A(0)) {
    const double a = polynomial(c, 0, X(1, i)), b = 1 + polynomial(c, 3, X(1, i));
    EACH(k, 3) {
      DX(0, k) += G(0, i) * pow(X(1, i), k + 1) / b;
      DX(0, 3 + k) -= G(0, i) * (one + a) * pow(X(1, i), k + 1) / (b * b);
    }
  }
}
static void distortion_wrong(const Call* c) { distortion_backward(c, 0); }
static void distortion_right(const Call* c) { distortion_backward(c, 1); }

/* WG-124: the energy of a torsion, a sum over m of v_m (1 + s_m cos m phi); the sixth term has v_5,
 * s_5. */
static double strength(const Call* c, int m) { return m == 6 ? A(2) : m == 5 ? A(1) : 1.0 / m; }
static void torsion_forward(const Call* c) {
  EACH(i, A(0)) {
    Y(0, i) = 0;
    for (int m = 1; m <= 6; ++m)
      Y(0, i) += strength(c, m) * (1 + (m % 2 ? 1 : -1) * cos(m * X(0, i)));
  }
}
static void torsion_backward(const Call* c, int sixth) {
  EACH(i, A(0)) {
    DX(0, i) = 0;
    for (int m = 1; m <= 6; ++m) {
      const int k = m == 6 ? sixth : m;
      DX(0, i) -= G(0, i) * strength(c, k) * (k % 2 ? 1 : -1) * m * sin(m * X(0, i));
    }
  }
}
static void torsion_wrong(const Call* c) { torsion_backward(c, 5); }
static void torsion_right(const Call* c) { torsion_backward(c, 6); }

/* WG-125: the energy of an inversion, k (c0 + c1 cos w + c2 cos 2w) with y = 90 degrees - w; a
 * sign. */
static double inversion_slope(double w, double c1, double c2) {
  const double y = acos(0) - w;
  return -2 * (c1 * cos(y) + 4 * c2 * cos(y) * sin(y));
}
UNARY(inversion, 2 * (1 + A(1) * cos(x) + A(2) * cos(2 * x)), g* inversion_slope(x, A(1), -A(2)),
      g* inversion_slope(x, A(1), A(2)))

/* WG-126: a spring; its force does not depend on how long it is. */
static void spring_forward(const Call* c) { Y(0, 0) = A(0) / 2 * dot(3, c->in[0], c->in[0]); }
static void spring_wrong(const Call* c) {
  EACH(i, 3) DX(0, i) = G(0, 0) * A(0) * X(0, i) / sqrt(dot(3, c->in[0], c->in[0]));
}
static void spring_right(const Call* c) { EACH(i, 3) DX(0, i) = G(0, 0) * A(0) * X(0, i); }

/* WG-127: Lennard-Jones at the distance s = r - delta: f is s times its force; then times s / r. */
static void shifted_forward(const Call* c) {
  const double s = sqrt(dot(3, c->in[0], c->in[0])) - A(0);
  Y(0, 0) = 4 * (pow(s, -12) - pow(s, -6));
}
static void shifted_backward(const Call* c, int is_right) {
  const double r = sqrt(dot(3, c->in[0], c->in[0])), s = r - A(0);
  const double f = s * (48 * pow(s, -13) - 24 * pow(s, -7));
  EACH(i, 3) DX(0, i) = -G(0, 0) * (is_right ? f / (s * r) : f * s / r) * X(0, i);
}
static void shifted_wrong(const Call* c) { shifted_backward(c, 0); }
static void shifted_right(const Call* c) { shifted_backward(c, 1); }

const Exhibit wg_u[] = {
    {"WG-119",
     FUNCTIONS(conic),
     {SIZE("n", 2, 2, 1, 4)},
     {{"conic", "n, 3", "-1", "2", 0}, {"offset", "n, 2", "-2", "2", WG_NO_GRADIENT}},
     {OUT("weight", "n")}},
    {"WG-120",
     FUNCTIONS(prior),
     {OF_ELEMENTS},
     {{"bias", "n", REAL, 0}, {"expected", "n", REAL, WG_NO_GRADIENT}},
     {OUT("error", "n")}},
    {"WG-121",
     FUNCTIONS(between),
     {NUMBER("residual", 0, 1, 0, 2)},
     {{"v", "3", "-0.7", "0.7", WG_NO_GRADIENT}, {"increment", "3", "0", "0", WG_AT_ZERO}},
     {OUT("error", "3")}},
    {"WG-122",
     FUNCTIONS(scaling),
     {NUMBER("centre", 0, 5, -5, 5)},
     {{"log_scale", "3", "-2", "2", 0}, {"point", "3", REAL, WG_NO_GRADIENT}},
     {OUT("moved", "3")},
     .at = {LIST(0.6931471805599453, 1.0986122886681098, 1.3862943611198906), LIST(10)},
     .upstream = {LIST(1)}},
    {"WG-123",
     FUNCTIONS(distortion),
     {SIZE("n", 2, 2, 1, 4)},
     {{"k", "6", "-0.2", "0.2", 0}, {"r2", "n", "0.1", "1", WG_NO_GRADIENT}},
     {OUT("factor", "n")}},
    {"WG-124",
     FUNCTIONS(torsion),
     {SIZE("n", 2, 2, 1, 4), NUMBER("v_5", 0, 0.5, 0, 2), NUMBER("v_6", 0, 1.5, 0, 2)},
     {{"phi", "n", "-3.2", "3.2", 0}},
     {OUT("energy", "n")}},
    {"WG-125",
     FUNCTIONS(inversion),
     {SIZE("n", 2, 2, 1, 4), NUMBER("c_1", -1, -1, -2, 2), NUMBER("c_2", 0, 1, 0, 2)},
     ON("-1.5", "1.5")},
    {"WG-126",
     FUNCTIONS(spring),
     {NUMBER("k", 2, 2, 0.5, 5)},
     {{"d", "3", REAL, 0}},
     {OUT("energy", "1")},
     .at = {LIST(0.25, 0, 0)},
     .upstream = {LIST(1)}},
    {"WG-127",
     FUNCTIONS(shifted),
     {NUMBER("delta", 0.2, 0.2, 0, 0.4)},
     {{"d", "3", "0.8", "2", 0}},
     {OUT("energy", "1")}},
    {0}};
