#!/usr/bin/env bash
# A program of GoogleTest's in N processes beside each other, each with every N-th of its tests: those
# that wait for time limits wait together. Prints what each has said.
#   beside.sh N PROGRAM ARGUMENTS...
set -uo pipefail
count=$1
shift
work=$(mktemp -d)
running=()
cleanup() {
  [ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null
  rm -rf "$work"
}
trap cleanup EXIT
for ((i = 0; i < count; ++i)); do
  GTEST_TOTAL_SHARDS=$count GTEST_SHARD_INDEX=$i "$@" >"$work/$i" 2>&1 &
  running+=($!)
done
failures=0
for i in "${!running[@]}"; do
  wait "${running[$i]}"
  status=$?
  unset "running[$i]"
  cat "$work/$i"
  [ $status -eq 0 ] && continue
  echo "FAILED: process $((i + 1)) of $count ended with $status"
  failures=$((failures + 1))
done
exit $((failures != 0))
