#!/usr/bin/env bash
# Runs ninja and says what it builds, how much is done, and about how long the rest takes:
#   progress.sh FOLDER NINJA_ARGS...
# One line that is rewritten on a terminal, else one line every 15 seconds. All that compilers print
# is passed on.
set -uo pipefail
folder=$1
shift
every=${TAPER_PROGRESS_SECONDS:-15}
if [ -t 1 ]; then every=1; fi

# weight_of LINE: sets `weight` to about how many tenths of a second a step takes one core.
weight_of() {
  case $1 in
    *.cu.o) weight=120 ;;
    *Building*tests/*.o) weight=25 ;;
    *_cpu.cpp.o) weight=35 ;;
    *Building*.o) weight=15 ;;
    *Linking*) weight=10 ;;
    *) weight=2 ;;
  esac
}

in_words() { # in_words SECONDS: 2 min 10 s
  if [ "$1" -lt 60 ]; then echo "$1 s"; else echo "$(($1 / 60)) min $(($1 % 60)) s"; fi
}
roughly() { # roughly SECONDS: in steps of ten
  if [ "$1" -lt 10 ]; then echo "a few seconds"; else echo "about $(in_words $(($1 / 10 * 10)))"; fi
}

# What there is to do, from a dry run. (A manifest of another name: ninja -n would only say that it
# has to look for new files first.)
cp "$folder/build.ninja" "$folder/dry_run.ninja"
steps=0 total=0 cores=1
while read -r line; do
  [[ $line == '@ '* && $line != *Re-checking* ]] || continue
  weight_of "$line"
  steps=$((steps + 1)) total=$((total + weight))
done < <(NINJA_STATUS='@ ' ninja -C "$folder" -f dry_run.ninja -n "$@" 2>/dev/null)
rm -f "$folder/dry_run.ninja"
for ((i = 1; i < $#; ++i)); do
  [ "${!i}" != -j ] || { next=$((i + 1)) && cores=${!next}; }
done

done_steps=0 done_weight=0 start=$SECONDS shown=$((SECONDS - every)) open_line=no
show() {
  # Until 60 core-seconds are done, the guess counts as much as what was measured.
  local elapsed=$((SECONDS - start)) left=$((total - done_weight)) text
  [ "$left" -gt 0 ] || left=0
  local seconds=$((left * (elapsed * cores + 60) / (done_weight + 600) / cores))
  text="building Taper: $done_steps of $steps files ($((100 * done_steps / (steps > 0 ? steps : 1)))%)"
  text+=", $(roughly "$seconds") left"
  if [ -t 1 ]; then printf '\r\033[K%s' "$text" && open_line=yes; else echo "$text"; fi
  shown=$SECONDS
}
end_line() { [ $open_line = no ] || { printf '\r\033[K' && open_line=no; }; }

[ $steps -lt 3 ] || show
NINJA_STATUS='@%f/%t ' ninja -C "$folder" "$@" 2>&1 | {
  while IFS= read -r line; do
    case $line in
      @[0-9]*'Re-checking globbed directories'* | "ninja: Entering directory"* | "ninja: no work to do.") ;;
      @[0-9]*/[0-9]*' '*)
        weight_of "$line"
        done_steps=$((done_steps + 1)) done_weight=$((done_weight + weight))
        [ $done_steps -le $steps ] || steps=$done_steps
        [ $((SECONDS - shown)) -lt "$every" ] || show
        ;;
      *) end_line && printf '%s\n' "$line" ;;
    esac
  done
  end_line
  [ $done_steps -lt 3 ] || echo "built $done_steps files in $(in_words $((SECONDS - start)))"
}
exit "${PIPESTATUS[0]}"
