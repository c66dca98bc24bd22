module nrdl.example/nrdl/faces

go 1.26.0

require (
	github.com/clipperhouse/uax29/v2 v2.7.0
	github.com/go-text/typesetting v0.3.5
	github.com/google/go-cmp v0.7.0
	github.com/jsummers/gobmp v0.0.0-20230614200233-a9de23ed2e25
	github.com/tetratelabs/wazero v1.12.0
	golang.org/x/image v0.47.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	golang.org/x/text v0.43.0
	gonum.org/v1/gonum v0.17.0
	google.golang.org/protobuf v1.36.12
	nrdl.example/nrdl v0.3.0
	nrdl.example/nrdl/doc v0.3.0
	nrdl.example/nrdl/internal/kit v0.3.0
	pgregory.net/rapid v1.3.0
)

require (
	github.com/gofrs/flock v0.13.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)
