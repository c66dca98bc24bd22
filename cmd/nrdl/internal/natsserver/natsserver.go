// Package natsserver runs a NATS server in this process, for tests and measurements
// of package cluster. The command does not contain it.
package natsserver

import (
	"errors"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Start starts a server with JetStream on 127.0.0.1, and returns its URL. Port 0 stands for
// any free port. The server keeps its queue in the folder store.
func Start(port int, store string) (url string, stop func(), err error) {
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: port, ServerName: "nrdl", NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: store, SyncAlways: true, // acknowledged is on disk
	})
	if err != nil {
		return "", nil, err
	}
	s.Start()
	stop = func() { s.Shutdown(); s.WaitForShutdown() }
	if !s.ReadyForConnections(20 * time.Second) {
		stop()
		return "", nil, errors.New("the NATS server does not start: is its port in use?")
	}
	return s.ClientURL(), stop, nil
}
