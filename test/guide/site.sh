#!/usr/bin/env bash
# Can the site of the documents be built, do its links lead somewhere, and does its search find something in a browser that has
# opened it as files?
#   site.sh <python> <the source tree> <work folder>
# Skipped (77) where MkDocs with its theme is not; without Chromium nobody searches.
set -euo pipefail
python=$1 tree=$2 work=$3
[ -x "$python" ] || { echo "there is no $python"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
"$python" -B "$tree/docs/generate/site.py" "$tree" "$work/pages" "$work/site"

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || exit 0
# The theme's script and the worker's talk in real time, which a virtual one leaves enough of.
HOME=$work timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --no-first-run --user-data-dir="$work/profile" \
  --virtual-time-budget=20000 --enable-logging=stderr --v=0 --dump-dom "file://$work/site/docs/guide/index.html?q=logcumsumexp" \
  >"$work/dom.html" 2>"$work/browser.log" || { tail "$work/browser.log"; exit 1; }
grep -q 'href="file://[^"]*/docs/reference/scan.html' "$work/dom.html" || {
  echo 'the search does not find logcumsumexp in docs/reference/scan.html'
  grep CONSOLE "$work/browser.log" || true
  exit 1
}
