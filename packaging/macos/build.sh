#!/bin/sh
# Builds Sidekeep-VERSION.pkg from the frozen host, to be run on macOS after `python3 build.py package --only-host`.
# Written from Apple's documentation of pkgbuild, codesign and notarytool; not run yet, for want of a Mac.
# IDENTITY and INSTALLER_IDENTITY name the Developer ID certificates; without them the package is unsigned, and Gatekeeper will end
# the host at its start on every other Mac ("Native host has exited").
set -eu
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' host/sidekeep/__init__.py)
root=build/package/pkg
place=$root/usr/local/lib/sidekeep
rm -rf "$root"
mkdir -p "$place" dist/package
cp -R build/package/sidekeep "$place/$version"
if [ -n "${IDENTITY:-}" ]; then
  find "$place/$version" -type f \( -name '*.so' -o -name '*.dylib' -o -name sidekeep \) -print0 |
    xargs -0 codesign --force --timestamp --options runtime --sign "$IDENTITY"
fi
pkgbuild --root "$root" --identifier dev.sidekeep.host --version "$version" --scripts packaging/macos/scripts \
  ${INSTALLER_IDENTITY:+--sign "$INSTALLER_IDENTITY"} "dist/package/Sidekeep-$version.pkg"
# Then: xcrun notarytool submit --wait dist/package/Sidekeep-VERSION.pkg, and xcrun stapler staple on it.
