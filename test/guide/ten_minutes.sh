#!/usr/bin/env bash
# Walks through docs/guide/ten_minutes.md as its reader would, in a Debian where nothing is installed but git:
#
#   test/guide/ten_minutes.sh packages|source <folder of the chroot, made where there is none>
#
# As root, with debootstrap. The commands, the program and what it prints are those of the page. Says how long each step took.
set -euo pipefail
fail() { echo "ten_minutes.sh: $*" >&2; exit 1; }
[ $# -eq 2 ] && [[ $1 == packages || $1 == source ]] || fail "takes packages or source, and the folder of a chroot"
[ "$(id -u)" -eq 0 ] || fail "needs root: it makes a chroot"
readonly way=$1 root=$2
readonly sources=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly page=$sources/docs/guide/ten_minutes.md

# block <first words>: the lines of the page's indented block that begins so.
block() {
  awk -v first="    $1" 'index($0, first) == 1 && !on { on = 1 } on && !/^    / { exit } on { print substr($0, 5) }' "$page"
}
# fenced <word>: what stands between the page's first ```word and ```.
fenced() { awk -v begin="\`\`\`$1" '$0 == "```" { on = 0 } on { print } $0 == begin && !seen { on = seen = 1 }' "$page"; }

# in_chroot <user> <what it is called> <commands>
in_chroot() {
  local began=$SECONDS
  printf 'set -e\n%s\n' "$3" >"$root/tmp/step.sh"
  chroot "$root" su - "$1" -s /bin/bash -c 'bash /tmp/step.sh' >"$root/tmp/step.log" 2>&1 || {
    tail -40 "$root/tmp/step.log" >&2
    fail "failed: $2"
  }
  printf '%5d s  %s\n' $((SECONDS - began)) "$2"
}

if [ ! -d "$root/usr" ]; then
  debootstrap --variant=minbase bookworm "$root" >/dev/null
fi
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
trap 'umount "$root/proc"' EXIT
echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/90assume-yes"
in_chroot root "what the page takes for granted: git" "apt-get update && apt-get install git ca-certificates"

user=root home=/root
if [ "$way" = source ]; then
  user=reader home=/home/reader
  chroot "$root" id -u reader >/dev/null 2>&1 || chroot "$root" useradd -m reader
  in_chroot root "what a build without root finds installed" \
    "apt-get install g++ cmake make pkg-config libtbb-dev libxxhash-dev libboost-dev libpng-dev libopenblas0-pthread"
fi
rm -rf "${root:?}$home/sinter" "${root:?}$home/plot"
git clone -q "$sources" "$root$home/sinter"
chroot "$root" chown -R "$user" "$home/sinter"

readonly first_command=$SECONDS
export_line=:
examples=/usr/share/doc/sinter/examples
if [ "$way" = packages ]; then
  in_chroot root "1. install: packages" "cd sinter
$(block './dev package')"
else
  in_chroot reader "1. install: from source" "cd sinter
$(block 'cmake -B')"
  export_line=$(block 'cmake -B' | grep '^export')
  examples=$home/sinter/samples
fi
fenced cpp >"$root/tmp/plot.cpp"
in_chroot "$user" "2. the data" "$(block 'mkdir plot' | sed "s|/usr/share/doc/sinter/examples|$examples|")
cp /tmp/plot.cpp ."
in_chroot "$user" "4. compile" "cd plot
$export_line
$(block 'g++' | head -1)"
in_chroot "$user" "4. run it" "cd plot
$(block 'g++' | tail -1)"
diff <(fenced text) "$root/tmp/step.log" || fail "the page says something else than the program"
in_chroot "$user" "4. run it again" "cd plot
$(block 'g++' | tail -1)
test -s penguins.png"
printf '%5d s  from the first command of the page to the picture\n' $((SECONDS - first_command))
