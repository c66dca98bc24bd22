// Package heif decodes HEIC photographs, as iPhones take them, by libheif and
// libde265 in WebAssembly (github.com/gen2brain/heic). The decoder needs 25 bytes
// of memory a pixel, may need long for a damaged file, and has panicked before.
// So it runs in a process of its own: this program, started once more. A file
// that takes too much time or memory costs that process and not this one.
package heif

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gen2brain/heic"
)

// Bounds on a decoding process.
const (
	maxMemory   = 3 << 30          // bytes
	minTime     = 20 * time.Second // for a photograph
	timePerByte = 20 * time.Microsecond
	idle        = time.Minute // then it ends
)

// argv0 is the name under which a program that imports this package is started to
// decode.
const argv0 = "nrdl-heic-decoder"

func init() {
	if len(os.Args) == 1 && os.Args[0] == argv0 {
		serve(os.Stdin, os.Stdout)
		os.Exit(0)
	}
}

// A reply is what a decoding process answers to the bytes of a file.
type reply struct {
	YCbCr *image.YCbCr
	Gray  *image.Gray
	RGBA  *image.RGBA
	NRGBA *image.NRGBA
	Err   string
}

// image returns the decoded image, or the error.
func (r *reply) image() (image.Image, error) {
	switch {
	case r.YCbCr != nil:
		return r.YCbCr, nil
	case r.Gray != nil:
		return r.Gray, nil
	case r.RGBA != nil:
		return r.RGBA, nil
	case r.NRGBA != nil:
		return r.NRGBA, nil
	}
	return nil, errors.New(r.Err)
}

// serve answers files with images until in ends.
func serve(in io.Reader, out io.Writer) {
	signal.Ignore(os.Interrupt) // the terminal sends it to this process too
	os.Stdout = os.Stderr       // for what the decoder prints
	go limit()
	files, replies := gob.NewDecoder(in), gob.NewEncoder(out)
	heic.Init()
	for {
		var data []byte
		done := time.AfterFunc(idle, func() { os.Exit(0) })
		err := files.Decode(&data)
		done.Stop()
		if err != nil {
			return
		}
		if replies.Encode(answer(data)) != nil {
			return
		}
	}
}

// limit ends the process that needs too much memory.
func limit() {
	total := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(20 * time.Millisecond) {
		metrics.Read(total)
		if total[0].Value.Uint64()-total[1].Value.Uint64() > maxMemory {
			os.Exit(1)
		}
	}
}

func answer(data []byte) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			r = reply{Err: fmt.Sprintf("the decoder failed (%v)", p)}
		}
	}()
	img, err := heic.Decode(bytes.NewReader(data))
	if err != nil {
		return reply{Err: "it cannot be decoded"}
	}
	switch m := img.(type) {
	case *image.YCbCr:
		return reply{YCbCr: m}
	case *image.Gray:
		return reply{Gray: m}
	case *image.RGBA:
		return reply{RGBA: m}
	case *image.NRGBA:
		return reply{NRGBA: m}
	}
	return reply{Err: fmt.Sprintf("an image of kind %T", img)}
}

// A process decodes one file at a time.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	files   *gob.Encoder
	replies *gob.Decoder
}

// pool holds processes that wait; busy bounds their number.
var pool struct {
	sync.Mutex
	waiting []*process
}

var busy = make(chan struct{}, min(runtime.NumCPU(), 4))

func start() (*process, error) {
	program := "/proc/self/exe" // stays when the file is replaced
	if _, err := os.Stat(program); err != nil {
		if program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	p := &process{command: &exec.Cmd{Path: program, Args: []string{argv0}, Env: os.Environ()}}
	in, err := p.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.command.Start(); err != nil {
		return nil, err
	}
	p.in, p.files, p.replies = in, gob.NewEncoder(in), gob.NewDecoder(out)
	return p, nil
}

func (p *process) end() {
	p.in.Close()
	p.command.Process.Kill()
	p.command.Wait()
}

// errLate is the error for a file that takes too long.
var errLate = errors.New("decoding takes too long")

// decode returns the reply to data. After an error the process is of no use.
func (p *process) decode(ctx context.Context, data []byte) (*reply, error) {
	var late atomic.Bool
	defer context.AfterFunc(ctx, func() { p.command.Process.Kill() })()
	timer := time.AfterFunc(minTime+timePerByte*time.Duration(len(data)), func() {
		late.Store(true)
		p.command.Process.Kill()
	})
	r := new(reply)
	err := p.files.Encode(data)
	if err == nil {
		err = p.replies.Decode(r)
	}
	timer.Stop()
	if err != nil && late.Load() {
		return nil, errLate
	}
	return r, err
}

// waiting returns a process that waits, or nil.
func waiting() *process {
	pool.Lock()
	defer pool.Unlock()
	n := len(pool.waiting)
	if n == 0 {
		return nil
	}
	p := pool.waiting[n-1]
	pool.waiting = pool.waiting[:n-1]
	return p
}

// Decode returns the photograph in a HEIC file, turned as the file says; data may
// be hostile. A bounded number of processes decode at once. Decoding ends with ctx.
func Decode(ctx context.Context, data []byte) (image.Image, error) {
	select {
	case busy <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-busy }()
	p := waiting()
	for waited := p != nil; ; waited = false {
		if !waited {
			var err error
			if p, err = start(); err != nil {
				return nil, fmt.Errorf("start the decoder: %w", err)
			}
		}
		r, err := p.decode(ctx, data)
		if err == nil {
			pool.Lock()
			pool.waiting = append(pool.waiting, p)
			pool.Unlock()
			return r.image()
		}
		p.end()
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, errLate):
			return nil, err
		}
		if !waited { // one that waited may have ended since
			return nil, errors.New("the decoder gave up; the file is damaged, or needs too much memory")
		}
	}
}
