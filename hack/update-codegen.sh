#!/usr/bin/env bash
# Copyright The starwars-sdk Authors.
# SPDX-License-Identifier: Apache-2.0

# Regenerates everything that follows from the types in pkg/apis: deepcopy and
# registration beside them, clientset, listers, informers, apply configurations
# and OpenAPI definitions in pkg/generated, the CRD in config/crd.
# Runs from any directory. Needs Go and nothing else; the generators' versions
# are pinned in hack/tools/go.mod.

# shellcheck source=hack/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/env.sh"
cd "${ROOT}"

# The SDK's own go.mod rules here, also where a vendor folder stands.
export GOWORK=off GOFLAGS="${GOFLAGS:+${GOFLAGS} }-mod=readonly"
export GOBIN="${BIN}" # kube_codegen.sh installs the generators there

module="$(go list -m)"
apis="${ROOT}/pkg/apis"
generated="${ROOT}/pkg/generated"
boilerplate="${ROOT}/hack/boilerplate.go.txt"
schema="$(mktemp)"
trap 'rm -f "${schema}"' EXIT

say "Building the generators: indexer-gen, and those pinned in hack/tools/go.mod"
(cd cmd/indexer-gen && go build -o "${BIN}/" .)
(
  cd hack/tools
  go mod download k8s.io/code-generator
  go build -o "${BIN}/" sigs.k8s.io/controller-tools/cmd/controller-gen
)
code_generator="$(cd hack/tools && go list -m -f '{{.Dir}}' k8s.io/code-generator)"
# shellcheck source=/dev/null
source "${code_generator}/kube_codegen.sh"

# What the generators no longer emit must not stay behind.
rm -rf "${generated}"
mkdir -p "${generated}"/{applyconfiguration,clientset,informers,listers}
find "${apis}" -name 'zz_generated.*.go' -delete
rm -f "${ROOT}"/config/crd/*.yaml

say "Deepcopy and registration in pkg/apis"
kube::codegen::gen_helpers --boilerplate "${boilerplate}" "${apis}"
kube::codegen::gen_register --boilerplate "${boilerplate}" "${apis}"

# The fake clientset can create and apply objects only if the apply
# configurations know the schema of the types. The report lists the API rule
# violations of apimachinery's types; one of ours would show up in its diff.
say "OpenAPI definitions"
kube::codegen::gen_openapi \
  --output-dir "${generated}/openapi" \
  --output-pkg "${module}/pkg/generated/openapi" \
  --report-filename "${ROOT}/hack/api-violations.list" \
  --update-report \
  --boilerplate "${boilerplate}" \
  "${apis}"
(cd hack/tools && go run ./openapi-schema) >"${schema}"

say "Clientset and apply configurations"
kube::codegen::gen_client \
  --with-applyconfig \
  --applyconfig-openapi-schema "${schema}" \
  --output-dir "${generated}" \
  --output-pkg "${module}/pkg/generated" \
  --boilerplate "${boilerplate}" \
  "${apis}"

# Listers come from this repository's generator, so gen_client is not asked for
# them, and the informers, which go with them, are generated here.
say "Listers and informers"
packages=("${module}/pkg/apis/starwars/v1")
"${BIN}/indexer-gen" \
  --go-header-file "${boilerplate}" \
  --output-dir "${generated}/listers" \
  --output-pkg "${module}/pkg/generated/listers" \
  "${packages[@]}"
"${BIN}/informer-gen" \
  --go-header-file "${boilerplate}" \
  --output-dir "${generated}/informers" \
  --output-pkg "${module}/pkg/generated/informers" \
  --versioned-clientset-package "${module}/pkg/generated/clientset/versioned" \
  --listers-package "${module}/pkg/generated/listers" \
  "${packages[@]}"

say "CustomResourceDefinition"
"${BIN}/controller-gen" \
  crd \
  "paths=${module}/pkg/apis/..." \
  "output:crd:artifacts:config=${ROOT}/config/crd"
