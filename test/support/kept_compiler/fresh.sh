#!/bin/sh
# Before a run of tests: their kernel caches are empty, and of the images of earlier runs only those are left that the compilers of
# now would make, for this processor.
#
#   fresh.sh <folder of caches> <folder of kept images>
set -eu
caches=$1 kept=$2
rm -rf "$caches"
mkdir -p "$caches" "$kept"

makers=$(for tool in cc g++ as ld; do
  program=$(command -v $tool) || continue
  echo "$tool: $(stat -L -c '%s bytes, %Y' "$program") $("$program" --version | head -n 1)"
done
cc -march=native -Q --help=target 2>/dev/null || true)
if [ "$makers" != "$(cat "$kept/makers" 2>/dev/null)" ]; then
  rm -rf "$kept"
  mkdir -p "$kept"
  printf '%s\n' "$makers" >"$kept/makers"
fi
# What two weeks of runs have not asked for.
find "$kept" -type f ! -name makers -atime +14 -delete
