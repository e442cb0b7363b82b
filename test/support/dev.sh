#!/usr/bin/env bash
# What ./dev takes and what it refuses, and that it refuses before anything is installed, built or deleted: a copy of it in an
# empty folder, among tools that only write down that they were called.
#
#   dev.sh [root of the tree]
set -euo pipefail
root=$(cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../..}" && pwd)
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

mkdir -p "$room"/{tools,tree/bench,tree/build/release/bench,tree/docs/generate}
cp "$root/dev" "$root/CMakePresets.json" "$room/tree"
cp "$root/bench/plot.py" "$root/bench/run.py" "$room/tree/bench"
cd "$room/tree"
echo 'import sys; open("../calls", "a").write("site.py " + " ".join(sys.argv[1:]) + "\n")' >docs/generate/site.py
touch source.cpp bench/one.cpp bench/two.cpp build/release/build.ninja
for tool in cmake ctest ninja apt-get git clang-format clang-format-14 clang-tidy clang-tidy-14; do
  printf '#!/bin/sh\necho "%s $*" >>"%s/calls"\n' "$tool" "$room" >"$room/tools/$tool"
done
# Every package is there already.
printf '#!/bin/sh\nshift 2\nfor p; do echo "$p=installed"; done\n' >"$room/tools/dpkg-query"
chmod +x "$room"/tools/*
export PATH="$room/tools:$PATH"

wrong=0
complain() {
  printf '%s\n' "$*"
  wrong=$((wrong + 1))
}

# refused <what the message has to name> <words>...
refused() {
  local named=$1 said
  shift
  : >"$room/calls"
  if said=$(./dev "$@" 2>&1); then complain "./dev $* was not refused"; fi
  [[ $said == *"$named"* ]] || complain "./dev $* does not name $named: $said"
  [ ! -s "$room/calls" ] || complain "./dev $* has already called $(cat "$room/calls")"
  [ -e build/release/build.ninja ] || complain "./dev $* has deleted the build folder"
}

# calls <what has to be called> <words>...
calls() {
  local wanted=$1
  shift
  : >"$room/calls"
  ./dev "$@" >"$room/said" 2>&1 || complain "./dev $* failed: $(cat "$room/said")"
  grep -qF -- "$wanted" "$room/calls" || complain "./dev $* has not called $wanted but $(cat "$room/calls")"
}

refused cpu-filter test cpu-filter
refused relase test relase
refused views test asan views
refused oops test -R views oops
refused --quik test --quik
refused -R test asan -R
refused --quik bench --quik
refused "'a' and 'b'" bench a b
refused "cpu and gpu" bench cpu gpu
refused "cpu or gpu" bench --cpu
refused "not x" format x
refused "not --check x" format --check x
refused --al tidy --al
refused missing.cpp tidy source.cpp missing.cpp
for verb in demo package docs clean; do refused "not x" "$verb" x; done
refused tset tset

for verb in demo test bench format tidy package docs clean; do
  : >"$room/calls"
  ./dev "$verb" --help | grep -q '^\./dev <verb>' || complain "./dev $verb --help does not say what there is"
  [ ! -s "$room/calls" ] || complain "./dev $verb --help has called $(cat "$room/calls")"
done

calls "ctest --preset release" test
calls "-R views -j4 --repeat until-fail:3 --rerun-failed --timeout=5" \
  test asan -R views -j4 --repeat until-fail:3 --rerun-failed --timeout=5
calls "ctest --preset asan" test asan -LE cuda
calls "--build --preset release" docs
calls "site.py . build/site/pages out/site" docs

# Where MkDocs is not and the user is not root: the reference is made, and the package is named.
mkdir "$room/without"
printf '#!/bin/sh\nshift 2\nfor p; do case $p in mkdocs*) ;; *) echo "$p=installed" ;; esac; done\n' >"$room/without/dpkg-query"
printf '#!/bin/sh\necho 1000\n' >"$room/without/id"
printf '#!/bin/sh\nexit 1\n' >"$room/without/python3"
chmod +x "$room"/without/*
: >"$room/calls"
said=$(PATH="$room/without:$PATH" ./dev docs 2>&1) && complain "./dev docs without MkDocs did not fail"
[[ $said == *"apt-get install"*mkdocs-material* ]] || complain "./dev docs without MkDocs says $said"
grep -q 'target docs' "$room/calls" || complain "./dev docs without MkDocs has not made the reference"
calls "git ls-files" format --check

# Benchmarks of two rows each, whose figure is $us; drawing needs matplotlib, which stands aside here.
mkdir "$room/python"
: >"$room/python/matplotlib.py"
export PYTHONPATH="$room/python"
sed -i 's/^def draw(.*/&\n    open("drawn", "w").write(" ".join(f.stem for f, _ in results if only is None or f in only)); return/' \
  bench/plot.py
cat >build/release/bench/bench_one <<'SCRIPT'
#!/bin/sh
# --filter TEXT [--quick] --json FILE or --count
name=${0##*_} rows='' count=0
for last; do :; done
for word in add sum; do
  case "$name $word" in
    *"$2"*)
      rows="$rows${rows:+,}{\"case\": \"$name $word\", \"n\": 7, \"by\": \"sinter\", \"us\": $us}" count=$((count + 1))
      [ "$last" = --count ] || printf '%-34s %11d %12s\n' "$name $word" 7 "$us"
      ;;
  esac
done
[ "$last" != --count ] || { echo "$count"; exit; }
echo "{\"title\": \"$name\", \"machine\": \"${machine-m}\", \"device\": \"$SINTER_DEVICE\", \"rows\": [$rows]}" >"$last"
[ "${fails-}" != "$name" ] || exit 1
SCRIPT
cp build/release/bench/bench_one build/release/bench/bench_two
chmod +x build/release/bench/*

# A peer, which says which Python it was given.
cat >"$room/peer.py" <<'SCRIPT'
import json, sys
if sys.argv[-1] == "--count": sys.exit(print(1))
print(f"{'one add':34s} {7:11d}  {'peer':16s}")
json.dump({"title": "p", "machine": "m", "device": "d", "rows": [{"case": "one add", "n": 7, "by": "peer", "us": 9}]}, open(sys.argv[-1], "w"))
SCRIPT
export SINTER_DEVICE=cpu

# rows <file>: its figures, in order
rows() { grep -o '"us": [0-9.]*' "$1" | cut -d' ' -f2 | paste -sd' '; }
# measured <figures of one> <figures of two> <pictures> <the figure to give> <words>...
measured() {
  local one=$1 two=$2 drawn=$3
  us=$4 ./dev bench "${@:5}" >"$room/said" 2>&1 || complain "./dev bench ${*:5} failed: $(cat "$room/said")"
  local is="$(rows out/bench/cpu/one.json), $(rows out/bench/cpu/two.json), $(cat drawn)"
  [ "$is" = "$one, $two, $drawn" ] || complain "./dev bench ${*:5}: $is instead of $one, $two, $drawn"
  [ ! -e out/bench/cpu/fresh ] || complain "./dev bench ${*:5} leaves its working folder behind"
}
measured "1 1" "1 1" "one two" 1
measured "2 1" "2 1" "one two" 2 add
measured "2 3" "2 1" "one" 3 "one sum"
measured "4 4" "4 4" "one two" 4 cpu --quick
grep -q '^   1 of 4, [0-9]*:[0-9][0-9] left | one add' "$room/said" || complain "no progress: $(cat "$room/said")"
grep -q '^   4 of 4, 0:00 left | two sum' "$room/said" || complain "no end: $(cat "$room/said")"
machine=another measured "5" "4 4" "one" 5 "one add"  # rows of two machines do not mix
refused_text=$(us=6 ./dev bench nothing 2>&1) && complain "./dev bench nothing was not refused"
[[ $refused_text == *"no benchmark has 'nothing'"* ]] || complain "./dev bench nothing says $refused_text"
measured "5" "4 6" "two" 6 "two sum"
failed_text=$(us=7 fails=one ./dev bench 2>&1) && complain "./dev bench does not fail where a program does"
[[ $failed_text == *"failed: one"* ]] || complain "./dev bench with a program that fails says $failed_text"
measured "8 8" "8 8" "one two" 8

# The peers of a device run with it, and those of the other do not; files of two devices are apart.
cp "$room/peer.py" bench/numpy_peers.py
measured "9 9" "9 9" "numpy one two" 9 cpu
SINTER_DEVICE=cuda measured "9 9" "9 9" "one two" 9 gpu
[ "$(rows out/bench/gpu/one.json)" = "9 9" ] || complain "./dev bench gpu has not written out/bench/gpu"
[ ! -e out/bench/gpu/numpy.json ] || complain "./dev bench gpu has measured NumPy"

[ "$wrong" -eq 0 ] || { printf '%d wrong\n' "$wrong"; exit 1; }
