#!/usr/bin/env bash
# Every test of the program is in exactly one entry of ctest with the label every_test, and entries are
# few: each starts the program anew.
#   suites.sh CTEST BUILD TAPER_TESTS
set -euo pipefail
ctest=$1 build=$2 program=$3
most_entries=107
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Suite.test, one a line, from --gtest_list_tests.
names() { awk '/^[^ ]/ {suite = $1} /^  / {print suite $1}'; }
"$program" --gtest_list_tests | names | sort >"$work/all"
# ctest says what it would run, arguments in double quotes.
"$ctest" --test-dir "$build" -N -V -L '^every_test$' | sed -n 's/^.*Test command: //p' >"$work/commands"
while read -r command; do
  eval "$command --gtest_list_tests" | names >"$work/one"
  [ -s "$work/one" ] || { echo "an entry without tests: $command" && exit 1; }
  cat "$work/one"
done <"$work/commands" >"$work/listed" || { tail -n 1 "$work/listed" && exit 1; }
sort "$work/listed" >"$work/entries"
diff "$work/all" "$work/entries" >"$work/differences" || {
  echo "tests that are in no entry (<), in more than one or nowhere else (>):"
  head -n 20 "$work/differences"
  exit 1
}
entries=$("$ctest" --test-dir "$build" -N | sed -n 's/^Total Tests: //p')
[ "$entries" -le $most_entries ] || { echo "$entries entries of ctest, more than $most_entries" && exit 1; }
echo "$(wc -l <"$work/all") tests, each in one of $(wc -l <"$work/commands") entries; $entries entries in all"
