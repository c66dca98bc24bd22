module example.com/method

go 1.26.0

require (
	nrdl.example/nrdl v0.3.0
	nrdl.example/nrdl/faces v0.3.0
)
