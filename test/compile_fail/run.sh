#!/bin/sh
# What must not compile does not, and says why: for each wrong statement of cases.txt the first error line has our sentence,
# and the compiler prints at most twelve lines. The right statements compile.
#
#   run.sh <include folder> <work folder> <compiler>...
set -eu

most_lines=12
# The right statements are also those of a program that has every warning about conversions for an error, and (see begin)
# macros from other headers.
strict='-std=gnu++20 -Werror -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast'

# ---- one case, one compiler ---------------------------------------------------------------------------------------------

fail() {
  printf '%s: %s: %s\n' "$compiler" "$title" "$1"
  sed 's/^/    /' "$printed"
  exit 1
}

# kind <compiler>: g++ or clang++
kind() { if "$1" --version | grep -q clang; then echo clang++; else echo g++; fi; }

# precompile <include> <work folder> <compiler>: what every case includes first. g++ finds it before the header of the same name,
# clang++ is told of it.
precompile() {
  mkdir -p "$2/precompiled/sinter"
  suffix=pch
  [ "$(kind "$3")" = clang++ ] || suffix=gch
  "$3" -std=c++20 -w -I "$1" -x c++-header "$1/sinter/sinter.hpp" -o "$2/precompiled/sinter/sinter.hpp.$suffix"
}

# one <include> <case> <compiler>: case.cpp is the source; case.title, case.says and perhaps case.says.<compiler> and case.with
# are beside it.
one() {
  include=$1 case=$2 compiler=$3
  kind=$(kind "$compiler")
  title=$(cat "$case.title")
  says=$case.says
  [ ! -e "$says.$kind" ] || says=$says.$kind
  printed=$case.$kind.txt

  precompiled=${case%/*}/precompiled most=$most_lines
  if [ $kind = clang++ ]; then
    options="-std=c++20 -include-pch $precompiled/sinter/sinter.hpp.pch"
  else
    options="-std=c++20 -I $precompiled"
    most=$((most - 1))  # a precompiled header hides the line that says where it was included
  fi
  if [ "${case##*/}" = right ]; then
    options=$strict
    [ $kind = clang++ ] || options="$options -Wuseless-cast"
  elif [ -e "$case.with" ]; then
    options=$(cat "$case.with")
  fi
  compiled=true
  # shellcheck disable=SC2086  # they are words
  "$compiler" $options -fsyntax-only -fdiagnostics-color=never -I "$include" "$case.cpp" >"$printed" 2>&1 || compiled=false
  if [ "${case##*/}" = right ]; then
    "$compiled" || fail 'does not compile'
    return
  fi
  ! "$compiled" || fail 'compiles'
  grep -m 1 'error: ' "$printed" | grep -qFf "$says" || fail "the first error does not say: $(cat "$says")"
  lines=$(wc -l <"$printed")
  [ "$lines" -le "$most" ] || fail "$lines lines, more than $most"
}

case "$1" in --one | --precompile)
  verb=${1#--}
  shift
  "$verb" "$@"
  exit
  ;;
esac

# ---- all of them --------------------------------------------------------------------------------------------------------

folder=$(cd "$(dirname "$0")" && pwd)
include=$1 work=$2
shift 2
rm -rf "$work"
mkdir -p "$work"

# A file for each case: number.cpp with the wrong statement, number.says, ...; and right.cpp with all right ones.
awk -v work="$work" '
  function begin(file) {
    # I is a macro of <complex.h>, _ of gettext, the others of Qt.
    if (file ~ /right/) print "#include <complex.h>\n#define _(text) text\n#define emit\n#define signals public\n#define slots" > file
    print "#include <sinter/sinter.hpp>" > file
    if (with) return
    if (file ~ /right/ || /own_kernel/) print "#include <sinter/kernel.hpp>\nextern const sinter::raw_kernel own_kernel;" > file
    if (file ~ /right/ || /elementwise_kernel|reduction_kernel/) print "#include <sinter/elementwise_kernel.hpp>" > file
    if (file ~ /right/ || /std::string/) print "#include <string>" > file
    if (file ~ /right/ || /fft::/) print "#include <sinter/fft.hpp>" > file
    if (file ~ /right/ || /linalg::/) print "#include <sinter/linalg.hpp>" > file
    if (file ~ /right/ || /sparse::/) print "#include <sinter/sparse_construct.hpp>\n#include <sinter/sparse_solve.hpp>" > file
    if (file ~ /right/ || /median/) print "#include <sinter/quantiles.hpp>" > file
    if (file ~ /right/ || /convolve/) print "#include <sinter/signal.hpp>" > file
    print "using namespace sinter;" > file
    print "using other_64_bits = std::conditional_t<std::is_same_v<std::int64_t, long>, long long, long>;" > file
    print "struct thing {} something;" > file
    print "extern std::ostream& out;" > file
    print "array<double> a, b, c;\nconst array<double> k;\narray<float> f;\narray<std::int64_t> n;\narray<bool> m;\narray<std::complex<double>> z;\nstd::vector<double> vec;" > file
    print "void relax(array_ref<double>);" > file
  }
  function rest() { sub(/^[^ ]+ +/, ""); return $0 }
  BEGIN { right = work "/right.cpp"; begin(right); print "the right statements" > (work "/right.title") }
  /^#/ { next }
  /^$/ { fresh = 1; next }
  fresh { fresh = with = 0; case_ = work "/" ++count; print > (case_ ".title"); close(case_ ".title"); next }
  $1 == "with" { with = 1; print rest() > (case_ ".with"); close(case_ ".with"); next }
  $1 == "wrong" {
    begin(case_ ".cpp")
    print "void statement() {\n  " rest() "\n}" > (case_ ".cpp")
    close(case_ ".cpp")
    next
  }
  $1 == "right" { print "void statement_" count "() {\n  " rest() "\n}" > right; next }
  $1 == "says" { print rest() > (case_ ".says"); close(case_ ".says"); next }
  $1 == "g++" || $1 == "clang++" { kind = $1; print rest() > (case_ ".says." kind); close(case_ ".says." kind); next }
  { print "cases.txt:" NR ": what is " $1 "?"; exit 1 }
' "$folder/cases.txt"

for compiler; do printf '"%s"\n' "$compiler"; done | xargs -n 1 -P 2 "$0" --precompile "$include" "$work" || exit 1
for compiler; do
  for title in "$work"/*.title; do
    printf '"%s"\n"%s"\n' "${title%.title}" "$compiler"
  done
done | xargs -n 2 -P 2 "$0" --one "$include" || exit 1

count=$(find "$work" -name '*.title' | wc -l)
echo "$((count - 1)) statements refused in a sentence by: $*"
