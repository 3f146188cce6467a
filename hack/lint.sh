#!/usr/bin/env bash
# Copyright The starwars-sdk Authors.
# SPDX-License-Identifier: Apache-2.0

# Lints all modules with the golangci-lint pinned in hack/tools/lint/go.mod,
# configured by .golangci.yml. The first run builds it, which takes minutes.

# shellcheck source=hack/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"

say "Building golangci-lint pinned in hack/tools/lint/go.mod"
(cd "${ROOT}/hack/tools/lint" && GOWORK=off go_build -o "${BIN}/" github.com/golangci/golangci-lint/v2/cmd/golangci-lint)

status=0
for module in . cmd/indexer-gen testenv examples test/e2e bench hack/tools; do
  say "Linting ${module}"
  workspace=""
  if [ "${module}" = hack/tools ]; then workspace=off; fi # tools are not part of it
  (cd "${ROOT}/${module}" && GOWORK="${workspace}" "${BIN}/golangci-lint" run --config "${ROOT}/.golangci.yml" ./...) || status=1
done
exit "${status}"
