#!/bin/bash
# Training under PyTorch's torchrun whose ranks are killed again and again, at random moments, ends
# with the losses of an undisturbed run, bit for bit.
#
#   tests/distributed/restarts.sh build/tests/distributed_tests [kills] [ranks] [steps] [seed]
#
# By hand: 20 kills, 2 ranks, 10000 steps. torchrun is the one in PATH, or TAPER_TORCHRUN.
set -euo pipefail
program=$(realpath "$1")
kills=${2:-20} ranks=${3:-2} steps=${4:-10000}
RANDOM=${5:-1}
torchrun=${TAPER_TORCHRUN:-torchrun}
folder=$(mktemp -d)
agent=
cleanup() {
  if [ -n "$agent" ]; then kill "$agent" 2>/dev/null || true; wait "$agent" 2>/dev/null || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT
fail() {
  echo "restarts: $*" >&2
  tail -n 20 "$folder"/*/log >&2 || true
  exit 1
}

export OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=${GLOO_SOCKET_IFNAME:-lo}
export TAPER_RANK_PROGRAM=trains_from_its_checkpoint TEST_STEPS=$steps

# start NAME RESTARTS: a training of its own, in the background.
start() {
  mkdir "$folder/$1"
  TEST_FOLDER=$folder/$1 "$torchrun" --no-python --standalone --nproc-per-node "$ranks" \
    --max-restarts "$2" "$program" >"$folder/$1/log" 2>&1 &
  agent=$!
}
finish() {
  wait "$agent" || fail "the $1 training ended with $?"
  agent=
}
# Waits for all ranks of this start, which the one that was killed last is none of.
wait_for_ranks() {
  for ((i = 0; i < 3000; ++i)); do
    kill -0 "$agent" 2>/dev/null || return 1
    mapfile -t pids < <(pgrep -P "$agent" -x "$(basename "$program" | cut -c1-15)" || true)
    [ ${#pids[@]} -eq "$ranks" ] && [[ " ${pids[*]} " != *" $last "* ]] && return 0
    sleep 0.02
  done
  return 1
}

start undisturbed 0
finish undisturbed
start disturbed $((kills + 5))
last=none
declare -a killed=()
for ((n = 0; n < kills; ++n)); do
  wait_for_ranks || fail "the training was over, or its ranks were gone, after $n of $kills kills"
  sleep "$(printf '0.%03d' $((RANDOM % 1000)))"
  last=${pids[$((RANDOM % ranks))]}
  kill -KILL "$last" 2>/dev/null || fail "rank $last had ended before the kill of number $((n + 1))"
  killed+=("$last")
done
finish disturbed

# One loss for each step, however often it was made.
distinct() { sort -n -u "$folder/$1/losses"; }
[ "$(distinct undisturbed | wc -l)" -eq "$steps" ] || fail "expected $steps steps"
cmp -s <(distinct undisturbed) <(distinct disturbed) ||
  fail "the losses differ: $(diff <(distinct undisturbed) <(distinct disturbed) | head -n 4)"
again=$(($(wc -l <"$folder/disturbed/losses") - steps))
[ "$again" -gt 0 ] || [ "$kills" -lt 10 ] || fail "expected steps that were made again after a kill"
for pid in "${killed[@]}" "${pids[@]}"; do
  [ ! -e "/proc/$pid/exe" ] || [ "$(readlink "/proc/$pid/exe")" != "$program" ] || fail "$pid is left"
done
echo "restarts: $kills kills of $ranks ranks, $again of $steps steps made again, all losses the same bits"
