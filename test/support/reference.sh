#!/usr/bin/env bash
# Are the pages that are made from the code those that the tree has?
#   reference.sh <sinter_reference> <the source tree>
set -euo pipefail
program=$1 tree=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$program" "$tree/include" "$work"
diff -u "$tree/docs/operations.md" "$work/operations.md" && diff -ru "$tree/docs/reference" "$work/reference" || {
  echo 'The pages are not what the code says; ./dev docs writes them anew'
  exit 1
}
