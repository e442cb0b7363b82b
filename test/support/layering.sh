#!/usr/bin/env bash
# The rules of the house that a compiler does not check:
#   - includes run downwards only: include <- codegen <- runtime;
#   - a public header drags in nothing that a user's build should not pay for or does not have;
#   - what differs between devices has a cuda and a cpu twin;
#   - a file that outgrows its budget has two jobs.
# Prints every breach as file:line: reason, and fails if there was one.
#
#   layering.sh [root of the tree]
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}"

breaches=0
breach() {
  printf '%s: %s\n' "$1" "$2"
  breaches=$((breaches + 1))
}

# sources <folder>...: every source file beneath the folders that exist.
sources() {
  local folder
  for folder; do
    if [ -d "$folder" ]; then
      find "$folder" -type f \( -name '*.hpp' -o -name '*.cpp' -o -name '*.def' -o -name '*.h' -o -name '*.cu' \)
    fi
  done | sort
}

# forbid <folder> <regex of what stands between the brackets or quotes> <reason> [a file that may]
forbid() {
  local file hit
  while read -r file; do
    while IFS=: read -r hit _; do
      breach "$file:$hit" "$3: $(sed -n "${hit}s/^[[:space:]]*//p" "$file")"
    done < <(grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)[>\"]" "$file" || true)
  done < <(sources "$1" | grep -vxF "${4:-}")
}

upwards='an include that runs upwards'
forbid include '(\.\./)*(codegen|runtime|test)/.*' "$upwards"
forbid codegen '(\.\./)*(runtime|test)/.*' "$upwards"
forbid runtime '(\.\./)*test/.*' "$upwards"

not_there='a header that a user of the library may not have'
forbid include '(cuda|cu(blas|fft|solver|sparse|rand)|nvrtc|nvtx|nvJitLink|cub|thrust).*' "$not_there"
forbid include '(tbb|oneapi|boost|fmt|benchmark)/.*|xxh(ash|3)\.h|fftw3\.h|cblas\.h|lapacke\.h' "$not_there" include/sinter/fmt.hpp

# The umbrella header may take a quarter of a second (test/compile_time). Each of these costs more than it brings; <iosfwd>, <cstring> and
# functions in the library do instead.
heavy='memory|functional|iostream|complex|filesystem|regex|atomic|mutex|algorithm|stdexcept|cmath|string'
heavy+='|istream|ostream|sstream|fstream|map|unordered_map|thread|future|format|ranges|random|chrono'
forbid include "$heavy" 'a heavy standard header in the public interface' \
  $'include/sinter/detail/complex_declared.hpp\ninclude/sinter/format.hpp'  # the latter gives strings, and is asked for

# has_twin <file> <its twin>
has_twin() { [ -e "$2" ] || breach "$1" "has no twin $2"; }

shopt -s nullglob
for folder in codegen/compile codegen/source runtime/device; do
  for file in "$folder"/cuda*.cpp; do
    has_twin "$file" "$folder/cpu${file#"$folder"/cuda}"
  done
done
for file in runtime/library/cuda/*.cpp; do has_twin "$file" "runtime/library/cpu/${file##*/}"; done
for file in runtime/library/cpu/*.cpp; do has_twin "$file" "runtime/library/cuda/${file##*/}"; done

# budget <most lines>: of the files named on standard input
budget() {
  local file lines
  while read -r file; do
    lines=$(wc -l <"$file")
    [ "$lines" -le "$1" ] || breach "$file" "$lines lines, more than the $1 of a file with one job"
  done
}

library=$(sources include codegen runtime samples bench)
budget 350 < <(grep -E '\.hp*$' <<<"$library")
budget 550 < <(grep -vE '\.hp*$' <<<"$library")
budget 800 < <(sources test)  # cases stand one below the other; there is no second job in more of them

if [ "$breaches" -gt 0 ]; then
  printf '%d breaches\n' "$breaches"
  exit 1
fi
