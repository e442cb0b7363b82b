// The derivative of the dynamic enthalpy of sea water with respect to temperature, from the 48-term expression for
// density of IOC, SCOR and IAPSO (2010), "The international thermodynamic equation of seawater - 2010": a formula of
// about 340 operations, in plain `auto` steps with names. Every name is computed once, and all of them run in one
// kernel: so do those that a function gives, as expressions whose type is `lazy`.
#pragma once

#include <sinter/sinter.hpp>

namespace sea_water {

inline constexpr double v01 = 9.998420897506056e+2, v02 = 2.839940833161907e+0, v03 = -3.147759265588511e-2,
                        v04 = 1.181805545074306e-3, v05 = -6.698001071123802e+0, v06 = -2.986498947203215e-2,
                        v07 = 2.327859407479162e-4, v08 = -3.988822378968490e-2, v09 = 5.095422573880500e-4,
                        v10 = -1.426984671633621e-5, v11 = 1.645039373682922e-7, v12 = -2.233269627352527e-2,
                        v13 = -3.436090079851880e-4, v14 = 3.726050720345733e-6, v15 = -1.806789763745328e-4,
                        v16 = 6.876837219536232e-7, v17 = -3.087032500374211e-7, v18 = -1.988366587925593e-8,
                        v19 = -1.061519070296458e-11, v20 = 1.550932729220080e-10, v21 = 1.0,
                        v22 = 2.775927747785646e-3, v23 = -2.349607444135925e-5, v24 = 1.119513357486743e-6,
                        v25 = 6.743689325042773e-10, v26 = -7.521448093615448e-3, v27 = -2.764306979894411e-5,
                        v28 = 1.262937315098546e-7, v29 = 9.527875081696435e-10, v30 = -1.811147201949891e-11,
                        v31 = -3.303308871386421e-5, v32 = 3.801564588876298e-7, v33 = -7.672876869259043e-9,
                        v34 = -4.634182341116144e-11, v35 = 2.681097235569143e-12, v36 = 5.419326551148740e-6,
                        v37 = -2.742185394906099e-5, v38 = -3.212746477974189e-7, v39 = 3.191413910561627e-9,
                        v40 = -1.931012931541776e-12, v41 = -1.105097577149576e-7, v42 = 6.211426728363857e-10,
                        v43 = -1.119011592875110e-10, v44 = -1.941660213148725e-11, v45 = -1.864826425365600e-14,
                        v46 = 1.119522344879478e-14, v47 = -1.200507748551599e-15, v48 = 6.057902487546866e-17;

/// What a step of the formula is kept as: of arrays a lazy one. Of numbers, for which the formula holds too, a number.
template <class A>
struct kept {
  using type = A;
};
template <class A>
  requires requires { typename A::sinter_element; }
struct kept<A> {
  using type = sinter::lazy<typename A::sinter_element>;
};

/// The denominator's coefficients d0, d1 and d2, their derivatives, and what is divided by d2.
template <class T>
struct denominator {
  T d0, d0_t, d1, d1_t, d2, d2_t, over_d2, d2_ratio_t;
};
template <class A>
auto denominator_of(const A& sa, const A& ct) {
  auto root_sa = sqrt(sa);
  auto d0_c3 = v04 * ct;
  auto d0_c2 = ct * (v03 + d0_c3);
  auto d0_s1 = v07 * ct;
  auto d0_r2 = v11 * ct;
  auto d0_r1 = ct * (v10 + d0_r2);
  auto d0 = v01 + ct * (v02 + d0_c2) + sa * (v05 + ct * (v06 + d0_s1) + root_sa * (v08 + ct * (v09 + d0_r1)));
  auto d0_t =
      v02 + d0_c2 + ct * (v03 + 2 * d0_c3) + sa * (v06 + 2 * d0_s1 + root_sa * (v09 + d0_r1 + ct * (v10 + 2 * d0_r2)));

  auto d1_c1 = v14 * ct;
  auto d1_c0 = ct * (v13 + d1_c1);
  auto d1_s0 = sa * (v15 + v16 * ct);
  auto d1_s1 = sa * v16;
  auto d1 = 0.5 * v12 + 0.5 * d1_c0 + 0.5 * d1_s0;
  auto d1_t = 0.5 * v13 + d1_c1 + 0.5 * d1_s1;

  auto d2_c1 = v19 * ct;
  auto d2 = v17 + ct * (v18 + d2_c1) + v20 * sa;
  auto d2_t = v18 + 2 * d2_c1;
  auto over_d2 = 1 / d2;
  auto d2_ratio_t = 1 / square(d2) * d2_t;  // minus the derivative of 1 / d2
  return denominator<typename kept<A>::type>{d0, d0_t, d1, d1_t, d2, d2_t, over_d2, d2_ratio_t};
}

/// The numerator's, but for the derivative of n3, which is v48.
template <class T>
struct numerator {
  T n0, n0_t, n1, n1_t, n2, n2_t, n3;
};
template <class A>
auto numerator_of(const A& sa, const A& ct) {
  auto root_sa = sqrt(sa);
  auto n0_c2 = v25 * ct;
  auto n0_c1 = ct * (v24 + n0_c2);
  auto n0_c0 = ct * (v23 + n0_c1);
  auto n0_s2 = v30 * ct;
  auto n0_s1 = ct * (v29 + n0_s2);
  auto n0_s0 = ct * (v28 + n0_s1);
  auto n0_r2 = v35 * ct;
  auto n0_r1 = ct * (v34 + n0_r2);
  auto n0_r0 = ct * (v33 + n0_r1);
  auto n0 =
      v21 + ct * (v22 + n0_c0) + sa * (v26 + ct * (v27 + n0_s0) + v36 * sa + root_sa * (v31 + ct * (v32 + n0_r0)));
  auto n0_root_t = v32 + n0_r0 + ct * (v33 + n0_r1 + ct * (v34 + 2 * n0_r2));
  auto n0_salt_t = v27 + n0_s0 + ct * (v28 + n0_s1 + ct * (v29 + 2 * n0_s2)) + root_sa * n0_root_t;
  auto n0_t = v22 + n0_c0 + ct * (v23 + n0_c1 + ct * (v24 + 2 * n0_c2)) + sa * n0_salt_t;

  auto n1_c1 = v40 * ct;
  auto n1_c0 = ct * (v39 + n1_c1);
  auto n1 = v37 + ct * (v38 + n1_c0) + sa * (v41 + v42 * ct);
  auto n1_t = v38 + n1_c0 + ct * (v39 + 2 * n1_c1) + sa * v42;

  auto n2_c1 = v45 * ct;
  auto n2_s1 = v46 * sa;
  auto n2 = v43 + ct * (v44 + n2_c1 + n2_s1);
  auto n2_t = v44 + 2 * n2_c1 + n2_s1;
  auto n3 = v47 + v48 * ct;
  return numerator<typename kept<A>::type>{n0, n0_t, n1, n1_t, n2, n2_t, n3};
}

/// What is left of the numerator when the polynomial part has been divided out, rest0 + rest1 p, and the derivatives.
template <class T>
struct remainder {
  T rest0, rest0_t, rest1, rest1_t;
};
template <class T>
remainder<T> remainder_of(const denominator<T>& below, const numerator<T>& above) {
  const auto& [d0, d0_t, d1, d1_t, d2, d2_t, over_d2, d2_ratio_t] = below;
  const auto& [n0, n0_t, n1, n1_t, n2, n2_t, n3] = above;
  auto d1_2 = square(d1);
  auto d1_over = d1 * over_d2;
  auto d1_t_over = over_d2 * d1_t;
  auto n3_d0 = n3 * d0;
  auto n3_d1 = n3 * d1;
  auto n3_d1_2 = n3 * d1_2;

  auto rest1_part = 4 * n3_d1_2 * over_d2 - n3_d0 - 2 * n2 * d1;
  auto rest1 = n1 + rest1_part * over_d2;
  auto rest1_part_t = 4 * v48 * d1_2 * over_d2 + 8 * n3_d1 * d1_t_over - 4 * n3_d1_2 * d2_ratio_t - v48 * d0 -
                      n3 * d0_t - 2 * n2_t * d1 - 2 * n2 * d1_t;
  auto rest1_t = n1_t + rest1_part_t * over_d2 - rest1_part * d2_ratio_t;

  auto rest0_part = 2 * n3_d0 * d1_over - n2 * d0;
  auto rest0 = n0 + rest0_part * over_d2;
  auto rest0_part_t = 2 * v48 * d0 * d1_over + 2 * n3 * d0_t * d1_over + 2 * n3_d0 * d1_t_over -
                      2 * n3_d0 * d1 * d2_ratio_t - n2_t * d0 - n2 * d0_t;
  auto rest0_t = n0_t + rest0_part_t * over_d2 - rest0_part * d2_ratio_t;
  return {rest0, rest0_t, rest1, rest1_t};
}

}  // namespace sea_water

/// Specific volume is a quotient of two polynomials in pressure, numerator (n0 + n1 p + n2 p^2 + n3 p^3) over
/// denominator (d0 + 2 d1 p + d2 p^2), whose coefficients depend on salinity and temperature. Its integral over
/// pressure, the dynamic enthalpy, is therefore a polynomial, a logarithm of the denominator and a logarithm from the
/// denominator's roots. Below, `_t` marks a derivative with respect to temperature.
///
///   sa: Absolute Salinity, g/kg;  ct: Conservative Temperature, degrees C;  p: sea pressure, dbar.  Shapes broadcast.
template <class A>
auto dynamic_enthalpy_derivative(const A& sa, const A& ct, const A& p) {
  using namespace sea_water;
  const auto below = denominator_of(sa, ct);
  const auto above = numerator_of(sa, ct);
  const auto& [d0, d0_t, d1, d1_t, d2, d2_t, over_d2, d2_ratio_t] = below;
  const auto& [n0, n0_t, n1, n1_t, n2, n2_t, n3] = above;
  const auto [rest0, rest0_t, rest1, rest1_t] = remainder_of(below, above);
  auto d1_over = d1 * over_d2;
  auto n3_d1 = n3 * d1;

  // The logarithm of the denominator at p over that at 0.
  auto d2_p = d2 * p;
  auto d2_t_p = d2_t * p;
  auto rise = p * (2 * d1 + d2_p);
  auto ratio = 1 + rise / d0;
  auto ratio_t = p * (2 * d1_t + d2_t_p) / d0 - rise / square(d0) * d0_t;
  auto log_ratio = log(ratio);

  // The logarithm from its roots: d1 -+ root, root = sqrt(d1^2 - d0 d2).
  auto discriminant = square(d1) - d0 * d2;
  auto discriminant_t = 2 * d1 * d1_t - d0_t * d2 - d0 * d2_t;
  auto root = sqrt(discriminant);
  auto over_root = 1 / root;
  auto root_t = over_root * discriminant_t / 2;
  auto low = d1 - root;
  auto high = d1 + root + d2_p;
  auto over_low = 1 / low;
  auto over_high = 1 / high;
  auto spread = root * over_low * over_high;
  auto cross = 1 + 2 * d2_p * spread;
  auto cross_t = 2 * d2_t_p * spread + d2_p * over_root * over_low * over_high * discriminant_t -
                 2 * d2_p * root / square(low) * over_high * (d1_t - root_t) -
                 2 * d2_p * root * over_low / square(high) * (d1_t + root_t + d2_t_p);
  auto log_cross = log(cross);

  auto weight = rest0 * d2 - rest1 * d1;
  auto weight_t = rest0_t * d2 + rest0 * d2_t - rest1_t * d1 - rest1 * d1_t;

  // Each term of the enthalpy differentiated; 1e4 turns dbar into Pa.
  auto polynomial =
      p * (n2_t - 2 * v48 * d1_over - 2 * n3 * (over_d2 * d1_t) + 2 * n3_d1 * d2_ratio_t + 0.5 * v48 * p) * over_d2 -
      p * (n2 - 2 * n3_d1 * over_d2 + 0.5 * n3 * p) * d2_ratio_t;
  auto from_ratio = rest1_t * over_d2 * log_ratio - rest1 * d2_ratio_t * log_ratio + rest1 * over_d2 * ratio_t / ratio;
  auto log_over_root = over_root * log_cross;
  auto from_roots = weight_t * over_d2 * log_over_root - weight * d2_ratio_t * log_over_root -
                    0.5 * weight * over_d2 / root / discriminant * log_cross * discriminant_t +
                    weight * over_d2 * over_root * cross_t / cross;
  return 1e4 * polynomial + 5e3 * (from_ratio + from_roots);
}
