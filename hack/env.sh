#!/usr/bin/env bash
# Copyright The starwars-sdk Authors.
# SPDX-License-Identifier: Apache-2.0

# Sourced by the other scripts: strict mode, the repository's root as $ROOT, a
# Go that is new enough, and a say function for progress.

set -o errexit -o nounset -o pipefail

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
BIN="${ROOT}/.bin" # tools built from the modules pinned here; never from PATH
mkdir -p "${BIN}"

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# require_go ends the script when Go is missing or older than go.mod says.
require_go() {
  local want have
  want="$(awk '$1 == "go" { print $2; exit }' "${ROOT}/go.mod")"
  command -v go >/dev/null || fail "Go ${want} or newer is needed, and there is no go on PATH: see https://go.dev/doc/install"
  have="$(cd / && GOTOOLCHAIN=local go env GOVERSION)"
  have="${have#go}"
  have="${have%% *}"
  if [ "$(printf '%s\n%s\n' "${want}" "${have}" | sort -V | head -n 1)" != "${want}" ]; then
    # An older go downloads the one it needs, unless it was told not to.
    if [ "$(cd / && go env GOTOOLCHAIN)" = local ]; then
      fail "Go ${want} or newer is needed, this is Go ${have} ($(command -v go)): see https://go.dev/doc/install"
    fi
  fi
}
require_go

# A vendor folder, a workspace or flags of the user's own must not change what
# the pinned tools do. Flags other than -mod stay.
go_flags=()
for flag in ${GOFLAGS:-$(go env GOFLAGS)}; do
  case "${flag}" in
    -mod=* | -modfile=*) ;;
    *) go_flags+=("${flag}") ;;
  esac
done
export GOFLAGS="${go_flags[*]-}"

# go_build is "go build" that shows how far it got: a cold build of an API
# server is minutes of silence otherwise.
go_build() {
  local log="${BIN}/build.log" shown=0 compiled builder
  go build -v "$@" >"${log}" 2>&1 &
  builder=$!
  while kill -0 "${builder}" 2>/dev/null; do
    sleep 1
    compiled="$(wc -l <"${log}")"
    if [ "$((compiled - shown))" -ge 100 ]; then
      shown="${compiled}"
      printf '    %4d packages fetched or compiled, %d s\n' "${compiled}" "${SECONDS}"
    fi
  done
  if ! wait "${builder}"; then
    cat "${log}" >&2
    return 1
  fi
}
