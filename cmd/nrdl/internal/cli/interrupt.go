package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Interruptible returns a context that the first SIGINT or SIGTERM ends. Where it has
// not ended the work after a second, waits is called; at a second signal, exit. Signals
// count also where the process was started to ignore them, as scripts start jobs in
// the background.
func Interruptible(waits, exit func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		patience := time.AfterFunc(time.Second, waits)
		<-signals
		patience.Stop()
		exit()
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
