#!/bin/sh
# Installs Sidekeep's host for this user, or updates it, and tells the browsers that are there. `./install.sh --remove` takes it away;
# chats and settings stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
data=${XDG_DATA_HOME:-$HOME/.local/share}
folder=$data/sidekeep-program
link=$HOME/.local/bin/sidekeep

if [ "${1:-}" = "--remove" ]; then
  if [ -x "$link" ]; then "$link" uninstall; fi
  rm -rf "$folder"
  rm -f "$link"
  exit 0
fi
"$here/place.sh" "$here/sidekeep" "$folder" "$(cat "$here/VERSION")" "$link" tar
"$link" install || true # it says itself where no browser was found
"$link" extension
