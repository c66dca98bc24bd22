module nrdl.example/nrdl

go 1.26.0

require (
	github.com/fvbommel/sortorder v1.2.1
	github.com/google/go-cmp v0.7.0
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
	pgregory.net/rapid v1.3.0
)

ignore ./client/typescript/node_modules
