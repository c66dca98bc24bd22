// No module of Go: this file keeps what is here out of the archive of the module above.
module nrdl.example/nrdl/devcontainer

go 1.26.0
