"""Writes special_series.def: the polynomials that special.def computes with, for float and for double.

    python codegen/ir/special_fit.py            needs mpmath

Each row of FITS is a name, the ends of the variable and the function of it that is fitted. A polynomial interpolates at the
zeros of a Chebyshev polynomial, in fifty digits, and has the least degree whose relative error is below a fifth of a unit in
the last place; that is within a small factor of the best there is, and needs no iteration.
"""

from pathlib import Path

import mpmath
from mpmath import mp, mpf

mp.dps = 50
EULER = mpmath.euler
ZERO_OF_DIGAMMA = mpmath.findroot(mpmath.digamma, mpf("1.4616321449683623"))
ZERO_OF_EI = mpmath.findroot(mpmath.ei, mpf("0.37250741078136663"))


def limit(function, at, value):
    """function, with its limit where it cannot be computed."""
    return lambda x: value if x == at else function(x)


def erfinv_over(w):
    """erfinv(x) / x where w is -log(1 - x^2)."""
    if w < 1e-20:
        return mpmath.sqrt(mpmath.pi) / 2
    if w < 30:
        x = mpmath.sqrt(-mpmath.expm1(-w))
        return mpmath.erfinv(x) / x if w < 1 else by_newton(w)
    return by_newton(w)


def by_newton(w):
    u = mpmath.exp(-w) / (1 + mpmath.sqrt(-mpmath.expm1(-w)))  # 1 - x
    y = mpmath.sqrt(w)
    for _ in range(60):
        value = mpmath.erfc(y)
        step = (mpmath.log(value) - mpmath.log(u)) * value * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(y * y)
        y += step
        if abs(step) < mpf(10) ** -45:
            break
    return y / (1 - u)


def scaled_i(order):
    return lambda t: limit_at_infinity(lambda x: mpmath.sqrt(x) * mpmath.exp(-x) * mpmath.besseli(order, x),
                                       1 / mpmath.sqrt(2 * mpmath.pi), (t + 1) / 16)


def scaled_k(order):
    return lambda t: limit_at_infinity(lambda x: mpmath.sqrt(x) * mpmath.exp(x) * mpmath.besselk(order, x),
                                       mpmath.sqrt(mpmath.pi / 2), (t + 1) / 4)


def modulated(order, sine):
    """What stands before the cosine, or x times what stands before the sine, of x less a quarter or three of half a turn in J(x)
    times sqrt(pi x / 2) (A&S 9.2.5, 9.2.6), for x from 8 on."""
    def of(x):
        root, angle = mpmath.sqrt(mpmath.pi * x / 2), x - (2 * order + 1) * mpmath.pi / 4
        j, y = root * mpmath.besselj(order, x), root * mpmath.bessely(order, x)
        c, s = mpmath.cos(angle), mpmath.sin(angle)
        return x * (y * c - j * s) if sine else j * c + y * s
    return lambda t: of(8 / mpmath.sqrt((t + 1) / 2))


def limit_at_infinity(function, value, inverse):
    return value if inverse == 0 else function(1 / inverse)


def of_squares(function):
    """A function of y = (x / 2)^2 as one of x."""
    return lambda y: function(2 * mpmath.sqrt(y))


def stirling(y):
    x = 1 / mpmath.sqrt(y)
    return x * (mpmath.loggamma(x) - (x - mpf(1) / 2) * mpmath.log(x) + x - mpmath.log(2 * mpmath.pi) / 2)


def digamma_tail(y):
    x = 1 / mpmath.sqrt(y)
    return (mpmath.log(x) - mpf(1) / 2 / x - mpmath.digamma(x)) / y


def log1p_tail(u):
    return (u - mpmath.log1p(u)) / (u * u)


def temme(k, cache={}):
    """Coefficients in powers of eta of c_k of DLMF 8.12.10, by the recursion of 8.12.12: c_0 = 1/mu - 1/eta and
    c_k = (c'_(k-1)) / eta + (-1)^k g_k / mu, where the sum is regular at 0."""
    count = 70
    if not cache:
        with mp.workdps(120):
            # mu(eta), where eta^2 / 2 = mu - log(1 + mu), so that mu' = eta (1 + mu) / mu.
            mu = [mpf(0), mpf(1)]
            for n in range(2, count + 4):
                total = sum(mu[i] * mu[n + 1 - i] * (n + 1 - i) for i in range(2, n))
                mu.append((mu[n - 1] - total) / (n + 1))
            inverse = [mpf(1)]  # eta / mu
            for n in range(1, count + 2):
                inverse.append(-sum(mu[i + 1] * inverse[n - i] for i in range(1, n + 1)))
            scaled_gamma = [mpf(1)]  # of 1 / gamma*(a) in powers of 1/a
            logarithm = [mpf(0)] + [(-mpmath.bernoulli(n + 1) / (n * (n + 1))) if n % 2 else mpf(0) for n in range(1, 12)]
            for n in range(1, 12):
                scaled_gamma.append(sum(j * logarithm[j] * scaled_gamma[n - j] for j in range(1, n + 1)) / n)
            rows = [[inverse[n + 1] for n in range(count)]]
            for j in range(1, 9):
                before = rows[-1]
                derivative = [(n + 1) * before[n + 1] for n in range(len(before) - 1)]
                rows.append([derivative[n + 1] + scaled_gamma_term(scaled_gamma, j) * inverse[n + 1]
                             for n in range(len(derivative) - 1)])
                cache["check", j] = derivative[0] + scaled_gamma_term(scaled_gamma, j) * inverse[0]
            cache["rows"] = rows
    row = cache["rows"][k]
    return lambda eta: mpmath.polyval(row[::-1], eta)


def scaled_gamma_term(terms, k):
    return terms[k]


half = mpf(1) / 2
FITS = [
    ("erfinv_near", -1, 1, lambda t: erfinv_over(mpf("3.125") * (t + 1))),  # w from 0 to 6.25
    ("erfinv_middle", -1, 1, lambda t: erfinv_over((mpf("3.25") + mpf("0.75") * t) ** 2)),  # sqrt(w) from 2.5 to 4
    ("erfinv_far", -1, 1, lambda t: erfinv_over((6 + 2 * t) ** 2)),  # sqrt(w) from 4 to 8
    ("erfinv_last", -1, 1, lambda t: erfinv_over((18 + 10 * t) ** 2)),  # sqrt(w) from 8 to 28
    ("erfcx_over", -1, 1, lambda t: mpf(1) / 2 * 2 / mpmath.sqrt(mpmath.pi) if t == 1 else
     (lambda x: (1 + 2 * x) * mpmath.exp(x * x) * mpmath.erfc(x))(4 * (1 + t) / (1 - t))),
    ("digamma_over_root", -1, 1, lambda t: (lambda x: mpmath.digamma(x) / (x - ZERO_OF_DIGAMMA))(1 + (t + 1) / 2)),
    ("digamma_tail", mpf(10) ** -12, mpf(1) / 64, digamma_tail),
    ("stirling_over", mpf(10) ** -12, mpf(1) / 64, stirling),
    ("i0_near", 0, 16, of_squares(lambda x: mpmath.besseli(0, x))),
    ("i1_near", 0, 16, of_squares(lambda x: limit(lambda z: mpmath.besseli(1, z) * 2 / z, 0, mpf(1))(x))),
    ("i0_far", -1, 1, scaled_i(0)),
    ("i1_far", -1, 1, scaled_i(1)),
    ("k0_near", 0, 1, of_squares(lambda x: limit(
        lambda z: mpmath.besselk(0, z) + mpmath.log(z / 2) * mpmath.besseli(0, z), 0, -EULER)(x))),
    ("k1_near", 0, 1, of_squares(lambda x: limit(
        lambda z: (mpmath.besselk(1, z) - mpmath.log(z / 2) * mpmath.besseli(1, z)) * z, 0, mpf(1))(x))),
    ("k0_far", -1, 1, scaled_k(0)),
    ("k1_far", -1, 1, scaled_k(1)),
    ("bessel_p0", -1, 1, modulated(0, False)),
    ("bessel_q0", -1, 1, modulated(0, True)),
    ("bessel_p1", -1, 1, modulated(1, False)),
    ("bessel_q1", -1, 1, modulated(1, True)),
    ("e1_near", 0, 1, lambda x: limit(lambda z: (mpmath.e1(z) + mpmath.log(z) + EULER) / z, 0, mpf(1))(x)),
    ("e1_middle", -1, 1, lambda t: (lambda x: x * mpmath.exp(x) * mpmath.e1(x))(1 / (mpf("0.625") + mpf("0.375") * t))),
    ("e1_far", -1, 1, lambda t: limit_at_infinity(
        lambda x: x * mpmath.exp(x) * mpmath.e1(x), mpf(1), (t + 1) / 8)),
    ("ei_near", -1, 1, lambda t: (lambda x: (
        (mpmath.ei(x) if x else -mpmath.inf) - mpmath.log(x / ZERO_OF_EI)) / (x - ZERO_OF_EI) if x else
        (EULER + mpmath.log(ZERO_OF_EI)) / -ZERO_OF_EI)(3 * (t + 1))),
    ("ei_middle", -1, 1, lambda t: (lambda x: x * mpmath.exp(-x) * mpmath.ei(x))(9 + 3 * t)),
    ("ei_far", -1, 1, lambda t: (lambda x: x * mpmath.exp(-x) * mpmath.ei(x))(18 + 6 * t)),
    ("ei_later", -1, 1, lambda t: (lambda x: x * mpmath.exp(-x) * mpmath.ei(x))(1 / ((3 + t) / 96))),
    ("ei_last", -1, 1, lambda t: limit_at_infinity(
        lambda x: x * mpmath.exp(-x) * mpmath.ei(x), mpf(1), (t + 1) / 96)),
    ("log1p_tail", -0.4, 0.4, lambda u: limit(log1p_tail, 0, half)(mpf(u))),
    ("gammaln1p_over", -half, 1, lambda a: limit(lambda z: mpmath.loggamma(1 + z) / z, 0, -EULER)(a) / (1 - a) if a != 1
     else mpmath.diff(lambda z: mpmath.loggamma(1 + z), 1) * -1),
    *((f"temme{k}", -0.48, 0.36, temme(k)) for k in range(7)),
]
# A correction of the size of 2^-7 of what it is added to, and less, may have fewer digits of its own.
SLACK = {"digamma_tail": 100, "stirling_over": 100, **{f"temme{k}": 8.0 * 50 ** k for k in range(7)}}
FLOAT_ORDERS = 7


def chebyshev_coefficients(function, low, high, count):
    middle, radius = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    nodes = [mpmath.cos(mpmath.pi * (k + half) / count) for k in range(count)]
    values = [function(middle + radius * x) for x in nodes]
    made = []
    for j in range(count):
        total = sum(v * mpmath.cos(j * mpmath.pi * (k + half) / count) for k, v in enumerate(values))
        made.append(total * (1 if j == 0 else 2) / count)
    return made, min(abs(v) for v in values), max(abs(v) for v in values)


def to_powers(series, low, high):
    """Chebyshev coefficients on [low, high] as coefficients of powers, the lowest first."""
    scale, shift = 2 / (mpf(high) - mpf(low)), -(mpf(high) + mpf(low)) / (mpf(high) - mpf(low))

    def times(p):  # by scale x + shift
        made = [mpf(0)] * (len(p) + 1)
        for i, c in enumerate(p):
            made[i] += c * shift
            made[i + 1] += c * scale
        return made

    before, now = [mpf(1)], [shift, scale]
    total = [mpf(0)] * max(len(series), 2)
    for j, c in enumerate(series):
        term = before if j == 0 else now
        for i, x in enumerate(term):
            if i < len(total):
                total[i] += c * x
        if j >= 1:
            doubled = [2 * x for x in times(now)]
            following = [x - (before[i] if i < len(before) else 0) for i, x in enumerate(doubled)]
            before, now = now, following
    return total[:len(series)]


def fit(name, low, high, function, bits):
    series, smallest, _ = chebyshev_coefficients(function, low, high, 64)
    allowed = smallest * mpf(2) ** -bits / 5 * SLACK.get(name, 1)
    if name.startswith("temme"):
        allowed = mpf(2) ** -bits / 40 * SLACK[name]
    count = len(series)
    while count > 1 and sum(abs(c) for c in series[count - 1:]) < allowed:
        count -= 1
    assert count < 60, (name, count)
    return to_powers(series[:count], low, high)


def as_float(x):
    """The shortest text of the nearest double."""
    return repr(float(x))


def as_single(x):
    import struct
    single = struct.unpack("f", struct.pack("f", float(x)))[0]
    for digits in range(6, 12):
        text = f"{single:.{digits}g}"
        if struct.unpack("f", struct.pack("f", float(text)))[0] == single:
            return text if any(c in text for c in ".e") else text + ".0"
    raise AssertionError(x)


def row(numbers, last):
    """Lines of at most 132 characters."""
    lines, line = [], "  ("
    for n in numbers:
        if len(line) + len(n) > 126:
            lines.append(line.rstrip())
            line = "   "
        line += n + ", "
    return "\n".join(lines + [line.removesuffix(", ") + (")" if last else "),")])


def main():
    out = ["// Made by special_fit.py: polynomials as numbers, those of the highest powers first. What each is of, and from where to",
           "// where, is said there.", "//",
           "// SINTER_POLYNOMIAL(name, numbers of float, numbers of double)", ""]
    for name, low, high, function in FITS:
        single, double = (fit(name, low, high, function, bits)[::-1] for bits in (24, 53))
        print(name, len(single), len(double), "sum of sizes", mpmath.nstr(
            sum(abs(c) * max(abs(low), abs(high)) ** i for i, c in enumerate(double[::-1])) / abs(function(mpf(high) - mpf(10) ** -25)), 5))
        out += [f"SINTER_POLYNOMIAL({name},", row([as_single(c) for c in single], False),
                row([as_float(c) for c in double], True) + ")"]
    (Path(__file__).resolve().parent / "special_series.def").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
