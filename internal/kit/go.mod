module nrdl.example/nrdl/internal/kit

go 1.26.0

require (
	github.com/gofrs/flock v0.13.0
	github.com/klauspost/compress v1.20.3
	github.com/sbinet/npyio v0.6.0
	golang.org/x/image v0.47.0
	golang.org/x/mod v0.42.0
	golang.org/x/sys v0.49.0
	gonum.org/v1/gonum v0.17.0
	google.golang.org/protobuf v1.36.12
	nrdl.example/nrdl v0.3.0
	pgregory.net/rapid v1.3.0
)

require github.com/stretchr/testify v1.12.1 // indirect
