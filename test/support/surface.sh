#!/usr/bin/env bash
# Compiles the spelling of every name of docs/surface.tsv, which says what there is of NumPy's and its kin's public names.
#   surface.sh <the source tree> <the C++ compiler>
set -euo pipefail
table=$1/docs/surface.tsv compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A qualified name is declared to be used, with template arguments as a type; anything else is a statement about an array of
# doubles, of integers, of complex numbers, a mask and a generator.
awk -F'\t' '
  BEGIN {
    print "#include <complex>\n#include <numbers>\n#include <sinter/elementwise_kernel.hpp>\n#include <sinter/kernel.hpp>"
    print "#include <sinter/sparse.hpp>"
    print "#include <sinter/bits.hpp>\n#include <sinter/fft.hpp>\n#include <sinter/filters.hpp>\n#include <sinter/format.hpp>\n#include <sinter/histogram.hpp>\n#include <sinter/polynomial.hpp>"
    print "#include <sinter/signal.hpp>\n#include <sinter/spectral.hpp>\n#include <sinter/sinter.hpp>\n#include <sinter/vectors.hpp>\nusing namespace sinter;"
    fixtures = "array<double>& a, array<int>& i, array<std::complex<double>>& z, array<bool>& m, sinter::random::generator& rng"
  }
  NR > 1 && $4 != "-" {
    ++n
    print "#line " NR " \"surface.tsv\""
    if ($4 ~ /^sinter::/ && $4 !~ /</) print "namespace name_" n " { using " $4 "; }"
    else if ($4 ~ /^sinter::/) print "using type_" n " = " $4 ";"
    else print "void use_" n "(" fixtures ") { static_cast<void>(" $4 "); }"
  }
  END { exit n < 400 }
' "$table" >"$work/surface.cpp"
"$compiler" -std=c++20 -fsyntax-only -w -I"$1/include" "$work/surface.cpp"
echo "$(awk -F'\t' 'NR > 1 && $4 != "-"' "$table" | wc -l) of $(($(wc -l <"$table") - 1)) names are there"
