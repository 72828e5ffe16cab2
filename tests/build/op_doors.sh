#!/usr/bin/env bash
# op_doors.sh BUILD: every row of the table of ops has a door, an object of the library that refers to it. A row without
# one is an op that modes and autocast do not see: write `if (auto done = at_door<"name">(arguments)) return done;` at its start.
# Every door has a row, too: a door of another name, or with other arguments than the function's, has none.
set -euo pipefail
objects=${1:?usage: op_doors.sh BUILD}/CMakeFiles
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The symbols of torch::taper::detail::OpAt<name, types...>::row.
rows() { grep -oE '_ZN5torch5taper6detail4OpAt\S+3rowE$' | sort -u; }
table=$(find "$objects/taper.dir" -name 'op_table.cpp.o')
[ -f "$table" ] || { echo "expected one object of ops/shared/op_table.cpp, got '$table'"; exit 1; }
nm --defined-only "$table" | rows >"$folder/rows"
find "$objects/taper.dir" -name '*.o' ! -name 'op_table.cpp.o' -exec nm --undefined-only {} + | rows >"$folder/doors"
# "name(types)" of symbols, whose names are lists of characters.
readable() { c++filt | perl -pe 's/\(char\)(\d+)(, )?/chr $1/ge; s/^.*OpName<\d+ul>\{char \[\d+\]\{(.*?)\}\},?/$1:/; s/torch::taper:://g'; }
alone=0
for kind in "ops without a door:-23" "doors without a row:-13"; do
  lines=$(comm "${kind##*:}" "$folder/rows" "$folder/doors" | readable)
  [ -z "$lines" ] || { printf '%s\n%s\n' "${kind%:*}" "$lines"; alone=1; }
done
[ $alone = 0 ] || exit 1
echo "$(wc -l <"$folder/rows") ops, each with a door"
[ -s "$folder/rows" ]
