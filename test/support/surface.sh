#!/usr/bin/env bash
# Compiles the spelling of every name of docs/surface.tsv, which says what there is of NumPy's and its kin's public names.
#   surface.sh <the source tree> <the C++ compiler>
set -euo pipefail
table=$1/docs/surface.tsv compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Every public header, but for those that want a library of their own, or change what the others declare.
{
  printf '#include <%s>\n' complex iostream numbers
  for header in "$1"/include/sinter/*.hpp; do
    name=$(basename "$header")
    case $name in fmt.hpp | eigen.hpp | private_copy.hpp) ;; *) echo "#include <sinter/$name>" ;; esac
  done
} >"$work/surface.cpp"

# A qualified name is declared to be used, with template arguments as a type; anything else is a statement about an array of
# doubles, of integers, of complex numbers, a mask and a generator.
awk -F'\t' '
  BEGIN {
    print "using namespace sinter;"
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
' "$table" >>"$work/surface.cpp"
"$compiler" -std=c++20 -fsyntax-only -w -I"$1/include" "$work/surface.cpp"
echo "$(awk -F'\t' 'NR > 1 && $4 != "-"' "$table" | wc -l) of $(($(wc -l <"$table") - 1)) names are there"
