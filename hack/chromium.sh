#!/usr/bin/env bash
# Copyright The starwars-sdk Authors.
# SPDX-License-Identifier: Apache-2.0

# Prints the path of a browser for the tests of fleet-board's page: $CHROME, or
# the first on PATH. If there is none, root on Debian gets it from there, unless
# --installed says to look only. Otherwise it fails, with one line that says what
# is left out and how to get it.

set -o errexit -o nounset -o pipefail

# A browser is usable if it tells its version: Ubuntu's chromium-browser may be
# no more than the advice to install another package.
usable() { command -v "$1" && "$1" --version </dev/null; } >/dev/null 2>&1

find_browser() {
  local browser names=(chromium chromium-browser google-chrome google-chrome-stable)
  if [ -n "${CHROME-}" ]; then names=("${CHROME}"); fi # that one or none
  for browser in "${names[@]}"; do
    if usable "${browser}"; then
      command -v "${browser}"
      return
    fi
  done
  return 1
}

install_browser() {
  if [ -n "${CHROME-}" ] || [ "$(id -u)" -ne 0 ] || [ ! -e /etc/debian_version ] || ! command -v apt-get; then return 1; fi
  export DEBIAN_FRONTEND=noninteractive
  timeout 120 apt-get update && timeout 600 apt-get install -y --no-install-recommends chromium
} </dev/null >/dev/null 2>&1

case "${1-}" in
  --installed) if find_browser; then exit; fi ;;
  "") if find_browser || { install_browser && find_browser; }; then exit; fi ;;
  *)
    printf 'usage: hack/chromium.sh [--installed]\n' >&2
    exit 2
    ;;
esac

printf '%s\n' "the tests of fleet-board's page: they need Chromium or Chrome (Debian: apt-get install chromium; elsewhere: have it on PATH, or its path in CHROME)" >&2
exit 1
