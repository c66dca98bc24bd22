module example.com/photographs

go 1.26.0

require nrdl.example/nrdl/faces v0.3.0
