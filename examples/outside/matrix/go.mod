module example.com/matrix

go 1.26.0

require nrdl.example/nrdl v0.3.0
