.PHONY: generate verify test lint

generate: ; hack/update-codegen.sh
verify: ; hack/verify-codegen.sh
test: ; hack/test.sh
lint: ; hack/lint.sh
