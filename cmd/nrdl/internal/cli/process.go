package cli

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
)

// Interruptible returns a context that the first SIGINT or SIGTERM cancels. It calls waits
// if the work goes on for another second, and exit at a second signal. Stop releases the
// signals. It catches the signals even if the process was started to ignore them, as
// background jobs of scripts are.
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

// CollectEarly makes the garbage collector run when the heap has grown by half, unless the
// environment variable GOGC is set. Photographs are large and hold no pointers, so this
// saves memory at little cost.
func CollectEarly() {
	const percent = 50
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
