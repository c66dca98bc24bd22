// Command service measures the service on the machine that it runs on, on 127.0.0.1, and
// prints what doc/service.md shows:
//
//	go -C tools run ./service load      # 1,000 clients for a minute
//	go -C tools run ./service kills     # a process that is killed again and again
//	go -C tools run ./service large     # 10,000 people
//	go -C tools run ./service search    # 50,000 faces of nobody yet
//	go -C tools run ./service refit     # answers while a refit works
//	go -C tools run ./service fair      # one key beside another with 200 connections
//	go -C tools run ./service -seconds 7200 soak     # two hours of few requests
//	go -C tools run ./service -minutes 60 operate    # an hour of what operators do, and what goes wrong
//
// The service runs in a process of its own, on SQLite in a temporary folder; kills runs
// it on PostgreSQL too, if that is installed.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"
	"golang.org/x/time/rate"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/store"
	"nrdl.example/nrdl/tools/internal/cputime"
	"nrdl.example/nrdl/tools/internal/hint"
)

var (
	clients = flag.Int("clients", 1000, "load: clients; fair: at most 200")
	seconds = flag.Int("seconds", 60, "load, refit, soak: how long; fair: at most 30")
	kills   = flag.Int("kills", 200, "kills: how often on each database")
	minutes = flag.Int("minutes", 2, "operate: how long")
	seed    = flag.Uint64("seed", 1, "operate: draws what happens when")
	people  = flag.Int("people", 10000, "large, search, soak: people, each with five vectors")
	child   = flag.String("child", "", "serve the database at this place")
	listen  = flag.String("listen", "", "of the child")
	lease   = flag.Duration("lease", 0, "of the child")
	request = flag.Duration("request", 0, "of the child")
)

func main() {
	flag.Parse()
	hint.Exit("service", run())
}

func run() error {
	if *child != "" {
		return serve()
	}
	dir, err := os.MkdirTemp("", "nrdl-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	measure := map[string]func(dir string) error{
		"load": load, "kills": killed, "large": large,
		"search": search, "refit": refit, "fair": fair, "soak": soak, "operate": operate,
	}[flag.Arg(0)]
	if measure == nil {
		return fmt.Errorf("%q is none of load, kills, large, search, refit, fair, soak and operate", flag.Arg(0))
	}
	return measure(dir)
}

// serve is the child: the service on a database.
func serve() error {
	ctx := context.Background()
	db, err := store.Open(ctx, *child)
	if err != nil {
		return err
	}
	defer db.Close()
	l, err := net.Listen("tcp", *listen)
	if err != nil {
		return err
	}
	o := server.Options{Lease: *lease, Request: *request, Rate: rate.Inf}
	return server.New(db, o).Serve(ctx, l)
}

// A process is a service that runs.
type process struct {
	cmd *exec.Cmd
	url string
}

// start starts a service and waits until it answers.
func start(database, address string, more ...string) (*process, error) {
	if address == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		address = l.Addr().String()
		l.Close()
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{exec.Command(self, append([]string{"-child", database, "-listen", address}, more...)...), "http://" + address}
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if a, err := http.Get(p.url + "/readyz"); err == nil {
			a.Body.Close()
			if a.StatusCode == http.StatusOK {
				return p, nil
			}
		}
	}
	p.kill()
	return nil, fmt.Errorf("the service does not answer at %s", address)
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	_ = p.cmd.Wait()
}

// memory is the memory of the process in MB: now, and at its peak.
func (p *process) memory() (now, peak float64) {
	mb := func(line string) float64 { return float64(cputime.Memory(p.cmd.Process.Pid, line)) / (1 << 20) }
	return mb("VmRSS"), mb("VmHWM")
}

// used is the processor time of the process so far.
func (p *process) used() time.Duration {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "stat"))
	if err != nil {
		return 0
	}
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	const ticks = 100 // a second
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * time.Second / ticks
}

// A reply is an answer that was read.
type reply struct {
	status int
	header http.Header
	body   []byte
}

var web = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2000}, Timeout: 2 * time.Minute}

// send sends a request; into, if not nil, gets the answer if the status is 200.
func send(method, url, kind string, body []byte, key string, into any) (reply, error) {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	a, err := web.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		return reply{}, err
	}
	if into != nil && a.StatusCode == http.StatusOK {
		err = json.Unmarshal(data, into)
	}
	return reply{a.StatusCode, a.Header, data}, err
}

// must is send of JSON that has to be answered with success.
func must(method, url string, body, into any) error {
	var data []byte
	kind := ""
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return err
		}
		kind = "application/json"
	}
	return mustSend(method, url, kind, data, into)
}

func mustSend(method, url, kind string, data []byte, into any) error {
	a, err := send(method, url, kind, data, "", into)
	if err == nil && a.status/100 != 2 {
		err = fmt.Errorf("%s %s: %d %s", method, url, a.status, a.body)
	}
	return err
}

type object = map[string]any

// form is a multipart body with a file.
func form(name string, files ...[]byte) (kind string, body []byte) {
	var b bytes.Buffer
	f := multipart.NewWriter(&b)
	for _, data := range files {
		w, err := f.CreateFormFile(name, "x.jpg")
		if err != nil {
			panic(err) // a buffer takes everything
		}
		_, _ = w.Write(data)
	}
	f.Close()
	return f.FormDataContentType(), b.Bytes()
}

// drawn draws photographs of people, and returns those of each and those of others.
func drawn(dir string, people int) (of map[string][][]byte, others [][]byte, err error) {
	p := synthetic.Photographs{People: people, PerPerson: 2, Size: dataset.Size{Height: 480, Width: 640}, Seed: 1}
	if err := p.Write(context.Background(), filepath.Join(dir, "photos"), nil); err != nil {
		return nil, nil, err
	}
	of = map[string][][]byte{}
	files, err := filepath.Glob(filepath.Join(dir, "photos", "*", "*.jpg"))
	if err != nil {
		return nil, nil, err
	}
	more, err := filepath.Glob(filepath.Join(dir, "photos", "people", "*", "*.jpg"))
	if err != nil {
		return nil, nil, err
	}
	for _, f := range append(files, more...) {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(more, f) {
			name := filepath.Base(filepath.Dir(f))
			of[name] = append(of[name], data)
		} else {
			others = append(others, data)
		}
	}
	return of, others, nil
}

// collection creates one with people, and returns its URL.
func collection(p *process, of map[string][][]byte) (string, error) {
	var made struct{ ID string }
	if err := must("POST", p.url+"/v1/collections", object{"name": "bench " + uuid.NewString()}, &made); err != nil {
		return "", err
	}
	at := p.url + "/v1/collections/" + made.ID
	for name, photos := range of {
		if err := must("POST", at+"/people", object{"name": name}, &made); err != nil {
			return "", err
		}
		kind, body := form("photo", photos...)
		if err := mustSend("POST", at+"/people/"+made.ID+"/faces", kind, body, nil); err != nil {
			return "", err
		}
	}
	return at, nil
}

// quantile is the q-quantile of times, in milliseconds; NaN for none.
func quantile(times []time.Duration, q float64) float64 {
	if len(times) == 0 {
		return math.NaN()
	}
	slices.Sort(times)
	return float64(times[min(len(times)-1, int(q*float64(len(times))))].Microseconds()) / 1000
}
