// No Go is here: with this file the Python package is no part of the archive of the core.
module nrdl.example/nrdl/python

go 1.26.0
