module example.com/photographs

go 1.26.0

require nrdl.example/nrdl v0.0.0
