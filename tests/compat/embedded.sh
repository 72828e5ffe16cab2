#!/usr/bin/env bash
# A project that builds Taper as a part of itself, by add_subdirectory and by FetchContent, is configured, and its program compiled.
# The library is not: that takes minutes, and its sources and options are those of any build.
#   embedded.sh TREE WORK_DIR
set -euo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
tree=$1 work=$2
rm -rf "$work"
for fetch in OFF ON; do
  cmake -S "$here/embedded" -B "$work/$fetch" -DFETCH=$fetch -DTAPER_TREE="$tree" -DTAPER_CUDA=OFF -G Ninja \
    >"$work.log" 2>&1 || { cat "$work.log"; echo "embedded: configuring with FETCH=$fetch failed"; exit 1; }
  cmake --build "$work/$fetch" --target app >"$work.log" 2>&1 || { cat "$work.log"; echo "embedded: its program does not compile"; exit 1; }
done
rm -rf "$work" "$work.log"
echo "embedded: add_subdirectory and FetchContent work"
