#!/bin/sh
# usage: place.sh FROM FOLDER VERSION LINK KIND
# Puts the program in FROM into FOLDER/VERSION and lets LINK name it. A host that still runs keeps its own version's folder: what a
# running program imports later must be of the same version. Folders of older versions go with the first update that finds them idle.
set -eu
from=$1 folder=$2 version=$3 link=$4 kind=$5

in_use() {
  for program in /proc/[0-9]*/exe; do
    case "$(readlink "$program" 2>/dev/null || true)" in "$1"/*) return 0 ;; esac
  done
  return 1
}

mkdir -p "$folder" "$(dirname "$link")"
folder=$(cd "$folder" && pwd -P)
fresh=$folder/.$version.$$
cp -al "$from" "$fresh" 2>/dev/null || { rm -rf "$fresh"; cp -a "$from" "$fresh"; }
rm -f "$fresh/installed-from"
printf '%s %s\n' "$kind" "$link" >"$fresh/installed-from"
if [ -e "$folder/$version" ]; then # the same version again: what runs from it keeps its files under another name
  mv "$folder/$version" "$folder/$version.$$.old"
fi
mv "$fresh" "$folder/$version"
ln -sfn "$folder/$version/sidekeep" "$link.new.$$"
mv -f "$link.new.$$" "$link"
for old in "$folder"/*; do
  if [ -d "$old" ] && [ "$old" != "$folder/$version" ] && [ "$old" != "$folder/package" ] && ! in_use "$old"; then
    rm -rf "$old"
  fi
done
