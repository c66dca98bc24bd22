# The commands that people look for; each is a line that can be typed by itself.
.PHONY: build test lint bench release check

build:
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o nrdl ./cmd/nrdl

test:
	go test work

lint:
	go vet work
	go tool staticcheck work
	test -z "$$(go tool gofumpt -l .)"

bench:
	go test -run '^$$' -bench . ./coding ./internal/blas
	go -C tools test -run '^$$' -bench Yale ./bench

release:
	go run ./tools/release -o dist -check

# Everything, as the workflow runs it; installs Debian packages that it needs.
check:
	.ci/run
