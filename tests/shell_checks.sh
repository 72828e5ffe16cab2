# Sourced by tests that are scripts: a folder `work` of their own, failures that are counted, the end.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
# says PATTERN: the output in $work/out has such a line
says() { grep -qE -- "$1" "$work/out" || fail "expected '$1' in: $(cat "$work/out")"; }
finish() {
  [ $failures -eq 0 ] && echo "all passed"
  exit $((failures != 0))
}
