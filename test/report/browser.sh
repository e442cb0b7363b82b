#!/usr/bin/env bash
# Is a program's report a page that works in a browser, at the widths of a telephone and of a desk?
#   browser.sh <work folder> <looks.html> <program> <arguments>...
# Skipped (77) where no Chromium is.
set -euo pipefail
work=$1 looks=$2
shift 2

for browser in chromium chromium-browser google-chrome; do
  if command -v "$browser" >/dev/null; then break; fi
  browser=
done
[ -n "$browser" ] || { echo 'no chromium to look with'; exit 77; }

rm -rf "$work"
mkdir -p "$work/out"
cd "$work"
SINTER_REPORT=$work/report.html "$@" >program.log 2>&1 || { cat program.log; exit 1; }
[ -s report.html ] || { echo 'the program left no report'; exit 1; }

# It may be root, who gets no sandbox, and has a profile of its own that goes with the folder. `wait_for_fonts` and the like take a
# virtual time, so that a slow machine only takes longer.
HOME=$work timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --no-first-run --user-data-dir="$work/profile" \
  --allow-file-access-from-files --virtual-time-budget=20000 --window-size=1500,1900 --enable-logging=stderr --v=0 \
  --dump-dom "file://$looks#file://$work/report.html" >dom.txt 2>browser.log || { tail browser.log; exit 1; }
grep CONSOLE browser.log >console.txt || { echo 'the browser said nothing'; tail browser.log; exit 1; }
cat console.txt
grep -q 'SINTER LOOKED: all is there' console.txt || exit 1
if grep -v 'SINTER LOOKED' console.txt; then
  echo 'the page complains'
  exit 1
fi
