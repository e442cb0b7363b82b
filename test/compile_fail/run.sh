#!/bin/sh
# What must not compile does not, and says why in one sentence: for each wrong statement of cases.txt and each compiler, the
# first error line has that sentence and the compiler prints twelve lines at most. The right statements all compile.
#
#   run.sh <include folder> <work folder> <compiler>...
set -eu

cases=$(dirname "$0")/cases.txt
include=$1
work=$2
shift 2

most_lines=12

# ---- one case: the source, and what the compiler makes of it --------------------------------------------------------------

# source <statements...>: a program with each statement in a function of its own
program() {
  cat <<'PROGRAM'
#include <iostream>
#include <string>
#include <vector>

#include <sinter/sinter.hpp>

using namespace sinter;
using other_64_bits = std::conditional_t<std::is_same_v<std::int64_t, long>, long long, long>;
struct thing {} something;
std::string words;
array<double> a, b, c;
array<float> f;
array<std::int64_t> n;
array<bool> m;
const array<double> k;
PROGRAM
  sed 's/.*/void statement_&() {\n  &\n}/'
}
