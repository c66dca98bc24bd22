// Package clients has the tests of the clients of the service, client/go and client/typescript: they
// speak to a service that runs here. The clients themselves need nothing but their standard library.
//
// Experimental: this package may change in any version.
package clients
