#!/usr/bin/env bash
# Every line of the table in docs/devices.md, D1 for instance, has tests of its name: a suite
# DevicesD1, or tests that begin with D1_.
#   rows.sh TAPER_TESTS
set -euo pipefail
guide=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)/docs/devices.md
rows=(D{1..10} M{1..10} A{1..6} A8 P{1..6})
tests=$("$1" --gtest_list_tests)
missing=0
for row in "${rows[@]}"; do
  grep -qE "^Devices$row[^0-9]|^  ${row}_" <<<"$tests" || { echo "no test of $row"; missing=1; }
  grep -q "^| $row |" "$guide" || { echo "no line $row in docs/devices.md"; missing=1; }
done
listed=$(grep -oE '^\| [DMAPG][0-9]+ \|' "$guide" | tr -d '| ')
for row in $listed; do
  [[ " ${rows[*]} " == *" $row "* ]] || { echo "rows.sh does not know line $row of docs/devices.md"; missing=1; }
done
[ $missing = 0 ] && echo "${#rows[@]} lines, each with tests"
exit $missing
