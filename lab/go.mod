module nrdl.example/nrdl/lab

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	golang.org/x/image v0.47.0
	golang.org/x/sync v0.24.0
	gonum.org/v1/gonum v0.17.0
	nrdl.example/nrdl v0.3.0
	nrdl.example/nrdl/doc v0.3.0
	nrdl.example/nrdl/faces v0.3.0
	nrdl.example/nrdl/internal/kit v0.3.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/gofrs/flock v0.13.0 // indirect
	github.com/jsummers/gobmp v0.0.0-20230614200233-a9de23ed2e25 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/tetratelabs/wazero v1.12.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
