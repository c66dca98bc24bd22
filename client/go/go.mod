module nrdl.example/nrdl/client/go

go 1.26.0
