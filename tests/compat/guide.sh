#!/usr/bin/env bash
# The C++ of docs/devices.md is that of examples/cuda_semantics, piece by piece.
#   guide.sh              compares them
#   guide.sh --update     writes the example's pieces into the page
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
page=$root/docs/devices.md example=$root/examples/cuda_semantics/main.cpp

# The lines of each piece, with "----" before it.
of_example() {
  awk '/^ *\/\/ \[page\]$/ {on = 1; print "----"; next} /^ *\/\/ \[end\]$/ {on = 0}
       on {sub(/^  /, ""); print}' "$example"
}
of_page() { awk '/^```cpp/ {on = 1; print "----"; next} /^```/ {on = 0} on' "$page"; }

if [ "${1:-}" = --update ]; then
  of_example | awk 'FNR == NR {if ($0 == "----") ++n; else piece[n] = piece[n] $0 "\n"; next}
    /^```cpp/ {print; printf "%s", piece[++m]; on = 1; next} /^```/ {on = 0} !on' - "$page" >"$page.new"
  mv "$page.new" "$page"
fi
diff <(of_page) <(of_example) || {
  echo "docs/devices.md and examples/cuda_semantics differ; guide.sh --update writes the example's into the page"
  exit 1
}
echo "$(of_page | grep -c '^----$') pieces of docs/devices.md are those of the example"
