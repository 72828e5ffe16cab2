#!/usr/bin/env bash
# The CIFAR example on few and plain images: cifar.sh PATH_OF_PROGRAM
# It learns, a run that was stopped between epochs goes on to the same weights, and mistakes are named.
set -uo pipefail
cifar=$1
source "$(dirname -- "${BASH_SOURCE[0]}")/../shell_checks.sh"

# Images of class 0 are bright at the top, those of class 1 at the bottom.
python3 - "$work" <<'PROGRAM' || exit 1
import random, sys
random.seed(1)
def image(label):
    rows = [40 + 160 * ((y < 16) == (label == 0)) for y in range(32)]
    return bytes([label]) + bytes(min(255, v + random.randrange(40)) for _ in range(3) for v in rows for _ in range(32))
for name in [f"data_batch_{i}.bin" for i in range(1, 6)] + ["test_batch.bin"]:
    with open(f"{sys.argv[1]}/{name}", "wb") as file:
        file.write(b"".join(image(i % 2) for i in range(40)))
PROGRAM
small=(--data "$work" --width 4 --batch-size 20 --lr 0.05 --threads 1)
run() { # run ARGS...: the program, its output in $work/out
  "$cifar" "${small[@]}" --workers "${workers:-0}" "$@" >"$work/out" 2>&1
}

run --epochs 3 --checkpoint "$work/whole" --curve "$work/curve.svg" || fail "a whole run: $(cat "$work/out")"
says '^epoch 3/3  loss [0-9.]+  accuracy on the test images'
says '^final accuracy on the test images: (9[0-9]|100)\.'
grep -q '<polyline' "$work/curve.svg" && ! grep -qi nan "$work/curve.svg" || fail "the drawing: $(cat "$work/curve.svg")"
workers=2 run --epochs 3 --checkpoint "$work/part" --float32 || fail "f32: $(cat "$work/out")"
says '^final accuracy on the test images: (9[0-9]|100)\.'
if cmp -s "$work/whole" "$work/part"; then fail "f32 gives the weights of bf16"; fi
mv "$work/part" "$work/two"
workers=1 run --epochs 3 --checkpoint "$work/part" --float32 || fail "f32 again: $(cat "$work/out")"
cmp "$work/two" "$work/part" || fail "one worker crops other images than two"

# Killed after an epoch at the earliest.
rm "$work/part"
: >"$work/out" # before the fork: the loop below must not read the lines of the run before
"$cifar" "${small[@]}" --workers 0 --epochs 3 --checkpoint "$work/part" >"$work/out" 2>&1 &
until grep -q '^epoch 1/3' "$work/out" || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
run --epochs 3 --checkpoint "$work/part" --resume || fail "resumed: $(cat "$work/out")"
cmp "$work/whole" "$work/part" || fail "killed and resumed, the weights differ"

# refuses TEXT ARGS...: an error of one line
refuses() {
  local text=$1
  shift
  if "$cifar" "$@" >/dev/null 2>"$work/out"; then fail "no error of: $*"; fi
  says "$text"
  [ "$(wc -l <"$work/out")" -eq 1 ] || fail "more than one line of: $* -- $(cat "$work/out")"
}
refuses 'cifar: --data is required' --epochs 1
refuses 'cifar: .*--epochs' --data "$work" --epochs none
refuses 'data_batch_1.bin' --data "$work/nowhere"
refuses 'nowhere/c.svg cannot be written' "${small[@]}" --curve "$work/nowhere/c.svg"
refuses 'there is no CUDA device' --data "$work" --device cuda
"$cifar" "${small[@]}" --device cuda --disable-cuda --epochs 1 --checkpoint "$work/c" >"$work/out" 2>&1 || fail "--disable-cuda"
finish
