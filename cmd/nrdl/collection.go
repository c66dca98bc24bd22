package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	client "nrdl.example/nrdl/client/go"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/kit/metadata"
	"nrdl.example/nrdl/internal/legible"
)

// isAddress reports whether data is the address of a collection of a service.
func isAddress(data string) bool {
	return strings.HasPrefix(data, "http://") || strings.HasPrefix(data, "https://")
}

// keyFile is what a command needs to ask a service: the file with its key, "" for the variable NRDL_KEY.
type keyFile string

func (k *keyFile) register(c *cobra.Command, where string) {
	c.Flags().StringVar((*string)(k), "key-file", "", "the key of the service is in `FILE` (default the variable NRDL_KEY), "+where)
}

// A collection is one of a service. It sends nothing to another address than that of the service.
type collection struct {
	*client.Client
	id, address string // address is without a password
}

// exampleAddress is the hint for what is no address of a collection.
const exampleAddress = "for example: http://127.0.0.1:8080/family"

// collection finds the collection at an address such as http://HOST/NAME.
func (k keyFile) collection(ctx context.Context, address string) (*collection, error) {
	c := &collection{address: legible.Address(address)}
	u, err := url.Parse(address)
	if err != nil || !isAddress(address) || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, advice.Add(cli.Misuse("%s names no collection of a service", c.address), exampleAddress)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return nil, advice.Add(cli.Misuse("%s has more than the service and the collection", c.address), "leave out what follows ? or #; "+exampleAddress)
	}
	key := []byte(os.Getenv("NRDL_KEY"))
	if k != "" {
		if key, err = os.ReadFile(string(k)); err != nil {
			return nil, advice.Add(fmt.Errorf("--key-file: %w", err), "it is the file with the key that nrdl key create has printed")
		}
	}
	if key = bytes.TrimSpace(key); bytes.ContainsFunc(key, func(r rune) bool { return r <= ' ' }) {
		return nil, advice.Add(cli.Misuse("the key has several words or lines"), "a key is one word, as nrdl key create prints it: check --key-file or NRDL_KEY")
	}
	name := path.Base(u.Path)
	u.Path, u.RawQuery, u.Fragment = path.Dir(strings.TrimSuffix(u.Path, "/")), "", ""
	c.Client = client.New(u.String(), string(key))
	c.HTTP = &http.Client{CheckRedirect: func(to *http.Request, _ []*http.Request) error {
		return advice.Add(errors.New("the service is at another address"), "if you trust it, give its address: %s", to.URL.Host)
	}}
	var there []string
	for query := (client.ListCollectionsQuery{}); ; {
		list, err := c.ListCollections(ctx, query)
		if err != nil {
			return nil, c.failed(err)
		}
		for _, one := range list.Items {
			if one.Name == name || one.ID == name {
				c.id = one.ID
				return c, nil
			}
			there = append(there, one.Name)
		}
		if query.Cursor = list.Next; list.Next == "" {
			next := "the service has none: name people on its page first"
			if len(there) > 0 {
				next = "it has " + legible.Abridged(there)
			}
			return nil, advice.Add(fmt.Errorf("%s: the service has no collection %q", c.address, name), "%s", next)
		}
	}
}

// failed is the error of a request that failed.
func (c *collection) failed(err error) error {
	problem, isAnswer := errors.AsType[*client.Problem](err)
	switch {
	case advice.Text(err) != "":
		return err
	case errors.As(err, new(*url.Error)):
		return advice.Add(err, "is the service started, and at this address?")
	case !isAnswer || problem.Code == "error":
		return advice.Add(fmt.Errorf("%s is no service of nrdl: %w", c.address, err),
			"it is the address that the service prints, with the name of a collection: "+exampleAddress)
	case problem.Status != nil && (*problem.Status == http.StatusUnauthorized || *problem.Status == http.StatusForbidden):
		return advice.Add(fmt.Errorf("%s: the service answers: %w", c.address, err),
			"give a key that may do this, by --key-file FILE or the variable NRDL_KEY; nrdl key create makes one")
	}
	return fmt.Errorf("%s: the service answers: %w", c.address, err)
}

// people are the names in the collection.
func (c *collection) people(ctx context.Context) (names []string, err error) {
	for query := (client.ListPeopleQuery{Kind: "known"}); ; {
		list, err := c.ListPeople(ctx, c.id, query)
		if err != nil {
			return nil, c.failed(err)
		}
		for _, p := range list.Items {
			names = append(names, p.Name)
		}
		if query.Cursor = list.Next; list.Next == "" {
			return names, nil
		}
	}
}

// A lostError ends a run: the service does not answer, or not with names.
type lostError struct{ error }

func (e lostError) Unwrap() error { return e.error }

const (
	sentAtOnce = 4               // photographs that the service is asked about at a time
	maxBusy    = 5 * time.Minute // for which a service may ask to wait before the same photograph is sent again
)

// IdentifyAll sends photographs to the service and returns its answers, in the order of photos. An error
// concerns one photograph, unless it is a lostError.
func (c *collection) IdentifyAll(ctx context.Context, photos iter.Seq[faces.Photo]) iter.Seq2[faces.Result, error] {
	type answer struct {
		faces.Result
		err error
	}
	return func(yield func(faces.Result, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		var sending sync.WaitGroup
		defer sending.Wait()
		defer cancel()
		queue := make(chan chan answer, sentAtOnce-2) // beside the one that is waited for, and the one that waits for room
		sending.Go(func() {
			defer close(queue)
			for p := range photos {
				to := make(chan answer, 1)
				sending.Go(func() {
					r, err := c.identify(inner, p)
					to <- answer{r, err}
				})
				select {
				case queue <- to:
				case <-inner.Done():
					return
				}
			}
		})
		for from := range queue {
			if a := <-from; !yield(a.Result, a.err) {
				return
			}
		}
	}
}

// identify asks about one photograph.
func (c *collection) identify(ctx context.Context, p faces.Photo) (r faces.Result, err error) {
	load := p.Load
	if load == nil {
		load = func() ([]byte, error) { return dataset.ReadFile(p.Name) }
	}
	data, err := load()
	if err != nil {
		return faces.Result{Photo: p}, err
	}
	var shown *client.ShownPhotograph
	for waited := time.Duration(0); ; {
		shown, err = c.Identify(ctx, c.id, client.IdentifyForm{Photo: client.File{Name: "photo", Content: bytes.NewReader(data)}},
			client.IdentifyQuery{})
		wait, busy := client.RetryAfter(err)
		if waited += max(wait, time.Second); !busy || waited > maxBusy {
			break
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	if problem, isAnswer := errors.AsType[*client.Problem](err); isAnswer && problem.Status != nil && isOfPhoto(*problem.Status) {
		return faces.Result{Photo: p}, fmt.Errorf("%s: the service answers: %w", p.Name, err)
	} else if err != nil {
		return faces.Result{Photo: p}, lostError{c.failed(err)}
	}
	var o results.Object // whose names of fields are those of an answer
	text, err := json.Marshal(shown)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		return faces.Result{Photo: p}, lostError{c.failed(err)}
	}
	r = output.Recorded(o, &gallery.DefaultSettings)
	r.Photo = p
	if h, err := metadata.Read(bytes.NewReader(data), int64(len(data))); err == nil {
		r.Taken = h.Taken
	}
	return r, nil
}

// isOfPhoto reports whether a status says that a photograph cannot be used, and others can.
func isOfPhoto(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusRequestEntityTooLarge ||
		status == http.StatusUnsupportedMediaType || status == http.StatusUnprocessableEntity
}

// likelyPeople is how many a service lists for a face.
const likelyPeople = 5

// toVar registers the flags of a service that names the faces.
func toVar(c *cobra.Command, i *identification) {
	c.Flags().StringVar(&i.service, "to", "", "without MODEL: let the service at `ADDRESS`, http://HOST/COLLECTION, name the faces")
	i.keyFile.register(c, "with --to")
}

// arguments checks the number of arguments: --to stands for MODEL, and --watch for PHOTOS.
func (i *identification) arguments(c *cobra.Command, args []string) error {
	needed := 2
	for _, instead := range []string{"watch", "to"} {
		if c.Flags().Changed(instead) {
			needed--
		}
	}
	return cli.Arguments(needed, -1)(c, args)
}

// withModel is args with the address of --to, if there is one, in the place of MODEL.
func withModel(c *cobra.Command, i *identification, args []string) ([]string, error) {
	if i.service == "" {
		return args, nil
	}
	return slices.Insert(slices.Clone(args), 0, i.service), i.checkTo(c, args)
}

// checkTo reports flags and arguments that make no sense with --to.
func (i *identification) checkTo(c *cobra.Command, args []string) error {
	for _, name := range []string{"faces", "detect", "detector", "twice", "people", "force", "nats", "x"} {
		if c.Flags().Changed(name) {
			return advice.Add(cli.Misuse("--to lets the service find and name the faces: --%s has no meaning", name),
				"leave that out: nrdl identify %s", i.line(args...))
		}
	}
	if len(args) > 0 && modelAt(args[0]) != nil {
		if args = args[1:]; len(args) == 0 {
			args = []string{"PHOTOS"}
		}
		return advice.Add(cli.Misuse("--to takes no MODEL: the people of the service name the photographs"),
			"leave the model out: nrdl identify %s", i.line(args...))
	}
	return nil
}

// line are the arguments of a command line that identifies, with --to.
func (i *identification) line(args ...string) string {
	if i.service == "" {
		return legible.Arguments(args...)
	}
	text := "--to " + legible.ShellWord(legible.Address(i.service)) + " "
	if i.keyFile != "" {
		text += "--key-file " + legible.ShellWord(string(i.keyFile)) + " "
	}
	return text + legible.Arguments(args...)
}

// people are those whose names photographs may get.
func (i *identification) people(ctx context.Context) ([]string, error) {
	if i.collection != nil {
		return i.collection.people(ctx)
	}
	return i.r.Model().Names(), nil
}

// model is the one that names; nil with --to.
func (i *identification) model() *gallery.Gallery {
	if i.collection != nil {
		return nil
	}
	return i.r.Model()
}

// numbers are those that say how sure a name is.
func (i *identification) numbers() *gallery.Settings {
	if i.collection != nil {
		return &gallery.DefaultSettings
	}
	return i.r.Model().Numbers()
}
