package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	client "nrdl.example/nrdl/client/go"
	"nrdl.example/nrdl/internal/kit/testing/postgres"
)

// operate runs the built command as an operator does, on SQLite and on PostgreSQL with two
// processes, while clients change people and a ledger remembers what was acknowledged.
func operate(dir string) error {
	fmt.Printf("%d minutes, seed %d\n", *minutes, *seed)
	commands, err := builds(dir)
	if err != nil {
		return err
	}
	of, _, err := drawn(dir, 4)
	if err != nil {
		return err
	}
	var photos [][]byte
	for _, some := range of {
		photos = append(photos, some[0])
	}
	if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL runs as another user
		return err
	}
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var days [2]*day
	var failures [2]error
	var both sync.WaitGroup
	for i, name := range []string{"SQLite", "PostgreSQL"} {
		days[i] = &day{name: name, commands: commands, rng: rand.New(rand.NewPCG(*seed, uint64(i))), times: map[string][]event{}}
		both.Go(func() { failures[i] = days[i].pass(interrupted, filepath.Join(dir, name), photos) })
	}
	both.Wait()
	fmt.Printf("| database | event | times | took: median | most | longest time without an acknowledged change: median " +
		"| most |\n|---|---|---|---|---|---|---|\n")
	for _, d := range days {
		d.printEvents()
	}
	fmt.Printf("| database | acknowledged changes | of them, answer lost | photographs identified | requests sent again, " +
		"by reason | people at the end | forgotten | losses |\n|---|---|---|---|---|---|---|---|\n")
	losses := 0
	for i, d := range days {
		if errors.Is(failures[i], postgres.ErrMissing) {
			fmt.Println(failures[i])
			failures[i] = nil
			continue
		}
		losses += d.printLosses()
	}
	err = errors.Join(failures[:]...)
	if losses > 0 {
		err = errors.Join(err, fmt.Errorf("%d losses", losses))
	}
	return err
}

// builds builds the command of this tree, and that of the last commit with the oldest tables that
// can still be upgraded; where the history is not there, only the first.
func builds(dir string) (commands []string, err error) {
	root, err := output(exec.Command("git", "rev-parse", "--show-toplevel"))
	if err != nil {
		return nil, err
	}
	root = strings.TrimSpace(root)
	build := func(tree, to string) error {
		c := exec.Command("go", "build", "-o", to, "./cmd/nrdl")
		c.Dir = tree
		_, err := output(c)
		return err
	}
	now := filepath.Join(dir, "now")
	if err := build(root, now); err != nil {
		return nil, err
	}
	tables, err := filepath.Glob(filepath.Join(root, "server/store/migrations/*.sql"))
	if err != nil || len(tables) < 2 {
		return []string{now}, err
	}
	slices.Sort(tables)
	added, err := output(exec.Command("git", "log", "--diff-filter=A", "--format=%H", "--", tables[1]))
	if err != nil {
		return nil, err
	}
	old := strings.TrimSpace(added) + "^"
	if _, err := output(exec.Command("git", "rev-parse", "--verify", old)); err != nil {
		fmt.Println("the history is not here: the upgrade is from the same build")
		return []string{now}, nil
	}
	tree := filepath.Join(dir, "old-tree")
	c := exec.Command("sh", "-c", `mkdir "$1" && git -C "$2" archive "$3" | tar -x -C "$1"`, "sh", tree, root, old)
	if _, err := output(c); err != nil {
		return nil, err
	}
	before := filepath.Join(dir, "before")
	return []string{before, now}, build(tree, before)
}

// A day is what an operator does with one database, and what came of it.
type day struct {
	name     string
	commands []string // builds, the oldest first
	rng      *rand.Rand
	s        *site
	l        *ledger
	backups  int
	order    []string // of events
	times    map[string][]event
}

// An event is how long something took, and the longest time meanwhile without an acknowledged change.
type event struct{ took, gap time.Duration }

// pass runs the whole: a site, its clients, events until the time is over, and the comparison.
func (d *day) pass(ctx context.Context, dir string, photos [][]byte) error {
	closeSite, err := d.open(dir)
	if err != nil {
		return err
	}
	defer closeSite()
	quit := make(chan struct{})
	var clients sync.WaitGroup
	failures := make(chan error, 4)
	for i := range cap(failures) {
		clients.Go(func() {
			v := &visitor{s: d.s, l: d.l, number: i, rng: rand.New(rand.NewPCG(*seed, uint64(10+i))), photos: photos}
			if err := v.visits(quit); err != nil {
				failures <- err
			}
		})
	}
	err = d.events(ctx, failures)
	close(quit)
	if err != nil {
		return fmt.Errorf("%s: %w", d.name, err)
	}
	clients.Wait()
	if len(failures) > 0 {
		return fmt.Errorf("%s: %w", d.name, <-failures)
	}
	return d.settle()
}

// open makes the site: a small disk, a database on it, the first key, the processes, a collection.
func (d *day) open(dir string) (closeAll func(), err error) {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	s := &site{dir: dir, command: d.commands[0], latest: time.Now(), refusals: map[string]int{}}
	d.s, d.l = s, &ledger{people: map[string]*entry{}, nobody: map[string]bool{}}
	s.web = &http.Client{Timeout: time.Minute, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	disk := filepath.Join(dir, "disk")
	unmount, err := mount(disk, "640m")
	s.disk = disk
	if err != nil {
		fmt.Println("the disk is not filled, as no small one can be mounted:", err)
		s.disk = ""
	}
	closeAll = func() {
		s.stop(syscall.SIGKILL, s.all()...)
		if c, ok := s.db.(*cluster); ok {
			c.Close()
		}
		unmount()
	}
	processes := 1
	if d.name == "SQLite" {
		folder := filepath.Join(disk, "data")
		s.db, err = &sqlite{s, folder}, os.Mkdir(folder, 0o700)
	} else {
		processes = 2
		var server *postgres.Server
		if server, err = postgres.NewIn(disk, true); err == nil {
			s.db = &cluster{server}
			err = s.db.(*cluster).sql("CREATE DATABASE nrdl")
		}
	}
	if err == nil {
		err = d.first(processes)
	}
	if err != nil {
		closeAll()
	}
	return closeAll, err
}

// first makes the certificate and the first key, starts processes, and makes a collection.
func (d *day) first(processes int) (err error) {
	s := d.s
	for range processes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		s.addresses, s.processes = append(s.addresses, l.Addr().String()), append(s.processes, nil)
		l.Close()
	}
	if err := s.certify(); err != nil {
		return err
	}
	if s.key, err = s.createKey("operator-0"); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	_, err = s.ask(func(ctx context.Context, c *client.Client, _ bool) error {
		made, err := c.CreateCollection(ctx, client.CollectionFields{Name: "visitors"})
		if err == nil {
			s.collection = made.ID
		}
		return err
	})
	return err
}

// events lets things happen, in an order that is drawn for each round, until the time is over and all
// have happened.
func (d *day) events(ctx context.Context, failures <-chan error) error {
	happen := map[string]func() error{
		"kill -9 in the middle of writes": d.kills, "new key, old key revoked": d.rotates,
		"backup, restored elsewhere and compared": d.backsUp, "upgrade": d.upgrades,
		"new certificate": d.certifies, "moved: stopped, backup, all removed, restored": d.moves,
	}
	if d.s.disk != "" {
		happen["disk full, and killed and started on it"] = d.fills
	}
	if _, ok := d.s.db.(*cluster); ok {
		happen["PostgreSQL killed and started"] = d.losesDatabase
	}
	for name := range happen {
		d.order = append(d.order, name)
	}
	slices.Sort(d.order)
	begun, whole := time.Now(), time.Duration(*minutes)*time.Minute
	between := min(20*time.Second, whole/time.Duration(2*len(happen)))
	for round := slices.Clone(d.order); ; {
		d.rng.Shuffle(len(round), func(i, j int) { round[i], round[j] = round[j], round[i] })
		for _, name := range round {
			select {
			case err := <-failures:
				return err
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(between/2 + time.Duration(d.rng.Int64N(int64(between)))):
			}
			if err := d.timed(name, happen[name]); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if time.Since(begun) > whole {
			return nil
		}
	}
}

// timed lets something happen, and waits until a change is acknowledged afterwards.
func (d *day) timed(name string, happen func() error) error {
	s := d.s
	s.mu.Lock()
	s.gap, s.latest = 0, time.Now()
	s.mu.Unlock()
	begun := time.Now()
	if err := happen(); err != nil {
		return err
	}
	ended := time.Now()
	for {
		s.mu.Lock()
		gap, resumed := s.gap, s.latest.After(ended)
		s.mu.Unlock()
		if resumed {
			d.times[name] = append(d.times[name], event{ended.Sub(begun), gap})
			return nil
		}
		if time.Since(ended) > patient {
			return errors.New("no change is acknowledged any more")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// settle compares everything, when nothing changes any more.
func (d *day) settle() error {
	if err := d.compare("at the end", d.s.addresses[0], d.l.copy()); err != nil {
		return err
	}
	_, err := d.s.ask(func(ctx context.Context, c *client.Client, _ bool) error {
		log, err := c.GetAudit(ctx, client.GetAuditQuery{Check: true})
		if err == nil && log.Damaged != "" {
			d.l.lose("the audit log: %s", log.Damaged)
		}
		return err
	})
	if err != nil {
		return err
	}
	d.s.stop(syscall.SIGTERM, d.s.all()...)
	if err := d.forgot(d.l.copy()); err != nil {
		return err
	}
	logs, err := filepath.Glob(filepath.Join(d.s.dir, "log*"))
	for _, log := range logs {
		panics, err := namesIn(log, []string{"panic"})
		if err != nil || len(panics) > 0 {
			d.l.lose("%s has a panic, or cannot be read: %v", log, err)
		}
	}
	return err
}

// forgot makes a backup and looks for the names of people who were forgotten.
func (d *day) forgot(people map[string]entry) error {
	file, err := d.backup()
	if err != nil {
		return err
	}
	names, err := namesIn(file, forgottenNames(people))
	for _, n := range names {
		d.l.lose("%s was forgotten, and is still in the database", n)
	}
	return err
}

func (d *day) printEvents() {
	for _, name := range d.order {
		var took, gaps []time.Duration
		for _, e := range d.times[name] {
			took, gaps = append(took, e.took), append(gaps, e.gap)
		}
		fmt.Printf("| %s | %s | %d | %.1f s | %.1f s | %.1f s | %.1f s |\n", d.name, name, len(took),
			quantile(took, 0.5)/1000, quantile(took, 1)/1000, quantile(gaps, 0.5)/1000, quantile(gaps, 1)/1000)
	}
}

func (d *day) printLosses() int {
	var reasons []string
	for code, n := range d.s.refusals {
		reasons = append(reasons, fmt.Sprintf("%s %d", code, n))
	}
	slices.Sort(reasons)
	there, forgotten := 0, 0
	for _, e := range d.l.people {
		if e.there() {
			there++
		}
		if e.forgotten {
			forgotten++
		}
	}
	fmt.Printf("| %s | %d | %d | %d | %s | %d | %d | %d |\n", d.name, d.l.changes, d.l.lostAnswers, d.l.identifications,
		strings.Join(reasons, ", "), there, forgotten, len(d.l.losses))
	for _, what := range d.l.losses {
		fmt.Println(what)
	}
	return len(d.l.losses)
}
