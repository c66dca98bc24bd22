package server

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/danielgtaylor/huma/v2"
	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/server/store"
)

var errPrivate = huma.Error422UnprocessableEntity("the address is of a private network or of this machine: nrdl serve --private-hooks sends messages there")

// reserved are further networks to which no message is sent; net/netip knows the others.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16"),
}

// unicast has all public addresses of IPv6 (RFC 4291, 2.4). Outside of it are those that
// stand for one of IPv4: ::/96, ::ffff:0:0:0/96, 64:ff9b::/96 and 64:ff9b:1::/48.
var unicast = netip.MustParsePrefix("2000::/3")

// isPrivate reports whether an address is not one of the public network.
func isPrivate(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	for _, p := range reserved {
		if p.Contains(a) {
			return true
		}
	}
	return !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !unicast.Contains(a)
}

// newSender returns a client for messages. It looks at the address that it connects to,
// whatever the name was resolved to before, and follows no redirection.
func newSender(private bool) *http.Client {
	const patience, headers = 10 * time.Second, 1 << 14
	dialer := &net.Dialer{Timeout: patience, Control: func(_, address string, _ syscall.RawConn) error {
		a, err := netip.ParseAddrPort(address)
		if err == nil && !private && isPrivate(a.Addr()) {
			err = errPrivate
		}
		return err
	}}
	return &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, TLSHandshakeTimeout: patience, MaxResponseHeaderBytes: headers},
	}
}

// oldest is the age of the oldest messages that are sent. An older one exists only if no process
// ran meanwhile, or if the database is a copy of an older state.
const oldest = 24 * time.Hour

// send sends a message to its hook.
func (v *Service) send(ctx context.Context, j *store.Job) error {
	if time.Since(j.Created) > oldest {
		return huma.Error422UnprocessableEntity("the message is more than a day old: it is not sent, as this may be a copy of a database that has sent it")
	}
	h, err := v.store.Hook(ctx, j.Collection, j.Hook)
	if err != nil {
		return err
	}
	var e struct {
		ID string `json:"id"`
		store.Event
		Names map[string]string `json:"names,omitempty"`
	}
	if err := json.Unmarshal(j.Payload, &e.Event); err != nil {
		return err
	}
	e.ID = j.ID
	if h.Names {
		if e.Names, err = v.namesIn(ctx, j.Collection, e.Event); err != nil {
			return err
		}
	}
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return huma.Error422UnprocessableEntity("the URL cannot be used")
	}
	seconds := strconv.FormatInt(time.Now().Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "nrdl")
	r.Header.Set("Nrdl-Event", e.Event.Event)
	r.Header.Set("Nrdl-Delivery", j.ID)
	r.Header.Set("Nrdl-Signature", "t="+seconds+",v1="+signature(h.Secret, seconds, body))
	r.Header.Set("Webhook-Id", j.ID)
	r.Header.Set("Webhook-Timestamp", seconds)
	r.Header.Set("Webhook-Signature", "v1,"+standardSignature(h.Secret, j.ID, seconds, body))
	result := "failed"
	defer func() { v.metrics.add("nrdl_hook_messages_total", "result", result) }()
	a, err := v.sender.Do(r)
	switch {
	case errors.Is(err, errPrivate):
		return errPrivate
	case err != nil && ctx.Err() == nil:
		return huma.Error502BadGateway("the address does not answer")
	case err != nil:
		return err
	}
	defer a.Body.Close()
	const most = 1 << 16
	_, _ = io.Copy(io.Discard, io.LimitReader(a.Body, most)) // the status is what counts
	if a.StatusCode < 200 || a.StatusCode > 299 {
		return huma.Error502BadGateway(fmt.Sprintf("the answer has status %d", a.StatusCode))
	}
	result = "sent"
	return nil
}

// namesIn returns the names of the people in an event, by id.
func (v *Service) namesIn(ctx context.Context, collection string, e store.Event) (map[string]string, error) {
	var photo photoEvent
	if e.Photo != nil {
		if err := json.Unmarshal(e.Photo, &photo); err != nil {
			return nil, err
		}
	}
	names := map[string]string{}
	for _, f := range append(photo.Faces, photoFace{Person: e.Person}) {
		p, err := v.store.Person(ctx, collection, f.Person)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		names[p.ID] = p.Name
	}
	return names, nil
}

// signature returns the signature of a message. The time of sending is in seconds since 1970.
func signature(secret, seconds string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(seconds + "."))
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil))
}

// standardSignature is that of Standard Webhooks, whose libraries take the secret as whsec_ and
// its bytes in base64.
func standardSignature(secret, id, seconds string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(id + "." + seconds + "."))
	m.Write(body)
	return base64.StdEncoding.EncodeToString(m.Sum(nil))
}

// A photoFace is a face of a photograph in a message.
type photoFace struct {
	Decision    string   `json:"decision"`
	Person      string   `json:"person,omitempty"`
	Probability *float64 `json:"probability"`
}

// A photoEvent is the content of a message about a photograph.
type photoEvent struct {
	Faces []photoFace `json:"faces"`
}

// notifyHooks adds messages about the faces of a photograph for the hooks that ask for them.
func (v *Service) notifyHooks(ctx context.Context, s *snapshot, p Photograph) {
	var content photoEvent
	happened := map[string]bool{} // events
	for _, f := range p.Faces {
		v.metrics.add("nrdl_faces_identified_total", "decision", f.Decision)
		o := photoFace{Decision: f.Decision, Probability: f.Probability}
		if f.Person != nil {
			o.Person = *f.Person
		}
		content.Faces = append(content.Faces, o)
		happened["photo.known"] = happened["photo.known"] || f.Decision == "known"
		happened["photo.unknown"] = happened["photo.unknown"] || f.Decision == "unknown" || f.Decision == "doubtful"
	}
	for event, yes := range happened {
		if !yes || !s.events[event] {
			continue
		}
		if err := v.store.Emit(ctx, s.ID, store.Event{Event: event, Photo: asJSON(content)}); err != nil {
			v.Log.Error("message not sent", "request", requestOf(ctx).id, "error", err.Error())
		}
	}
}

// A HookRequest asks for messages about a collection.
type HookRequest struct {
	URL    string   `json:"url" maxLength:"2000" doc:"http or https; not of a private network unless the service allows it"`
	Events []string `json:"events" minItems:"1" enum:"faces.added,person.changed,person.erased,job.finished,photo.known,photo.unknown"`
	Names  bool     `json:"names,omitempty" doc:"Messages have the names of people, and not only their ids"`
}

// A Hook is an address that gets messages about a collection.
type Hook struct {
	ID      string    `json:"id"`
	URL     string    `json:"url"`
	Events  []string  `json:"events"`
	Names   bool      `json:"names"`
	Created time.Time `json:"created"`
	Secret  string    `json:"secret,omitempty" doc:"Key of the signature; shown once"`
}

// A Delivery is a message that was sent to a hook, or will be.
type Delivery struct {
	ID       string     `json:"id"`
	Event    string     `json:"event"`
	State    string     `json:"state" enum:"waiting,running,done,failed,cancelled"`
	Attempts int        `json:"attempts"`
	Error    string     `json:"error,omitempty" doc:"Of the last attempt"`
	Created  time.Time  `json:"created"`
	Finished *time.Time `json:"finished,omitempty"`
}

func hookResponse(h store.Hook) Hook { return Hook{h.ID, h.URL, h.Events, h.Names, h.Created, ""} }

func deliveryResponse(j store.Job) Delivery {
	var e store.Event
	_ = json.Unmarshal(j.Payload, &e) // the store wrote it
	d := Delivery{ID: j.ID, Event: e.Event, State: j.State, Attempts: j.Attempts, Error: j.Error, Created: j.Created}
	if !j.Finished.IsZero() {
		d.Finished = &j.Finished
	}
	return d
}

// checkHook returns an error if no message can be sent to a URL. A host without an address is
// allowed.
func (v *Service) checkHook(ctx context.Context, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" {
		return huma.Error422UnprocessableEntity("the URL is to be http:// or https:// and a host, without a password")
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
		return huma.Error422UnprocessableEntity(fmt.Sprintf("the port of the URL is %.20s: a port is a number from 1 to 65535", u.Port()))
	}
	host := strings.TrimSuffix(norm.NFKC.String(u.Hostname()), ".") // as names of hosts are compared
	a, err := netip.ParseAddr(host)
	if labels := strings.Split(host, "."); err != nil && number.MatchString(labels[len(labels)-1]) {
		return huma.Error422UnprocessableEntity("the host of the URL is a number, but no address: write it as 192.0.2.1 or [2001:db8::1]")
	}
	if !isHost(u.Hostname()) {
		return huma.Error422UnprocessableEntity(fmt.Sprintf("%+.100q is no name of a host: write it in ordinary letters, digits and hyphens, with dots between, as in door.example", u.Hostname()))
	}
	if v.Private {
		return nil
	}
	addresses := []netip.Addr{a}
	if err != nil { // it is a name; the sender looks again at each message
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		addresses, _ = net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	}
	if slices.ContainsFunc(addresses, isPrivate) {
		return errPrivate
	}
	return nil
}

// isHost reports whether name is an address, or a name that a host can have. Full-width letters and
// dots, and the like, only look like those of one.
func isHost(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	const longest, longestLabel = 253, 63
	name = strings.TrimSuffix(norm.NFC.String(name), ".")
	if len(name) > longest || norm.NFKC.String(name) != name {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		odd := strings.ContainsFunc(label, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && r != '-' && r != '_' })
		if label == "" || len(label) > longestLabel || odd || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") {
			return false
		}
	}
	return true
}

// number matches numbers that some programs read as an address, also octal and hexadecimal ones.
var number = regexp.MustCompile(`^(0[xX][0-9a-fA-F]*|[0-9]+)$`)

func (v *Service) hooks() {
	const path = "/v1/collections/{collection}/hooks"
	const most = 20
	operation(v, http.MethodGet, path, "List hooks", forAdmin, func(ctx context.Context, in *InCollection) (*body[Page[Hook]], error) {
		if _, err := v.store.Collection(ctx, in.Collection); err != nil {
			return nil, err
		}
		all, err := v.store.Hooks(ctx, in.Collection)
		return page(all, len(all), nil, hookResponse), err
	})
	operation(v, http.MethodPost, path, "Send messages about the collection to an address", forAdmin, func(ctx context.Context, in *inCollection[HookRequest]) (*body[Hook], error) {
		if err := v.checkHook(ctx, in.Body.URL); err != nil {
			return nil, err
		}
		all, err := v.store.Hooks(ctx, in.Collection)
		if err != nil {
			return nil, err
		}
		if len(all) >= most {
			return nil, huma.Error409Conflict(fmt.Sprintf("the collection has %d hooks already", most))
		}
		h, err := v.store.CreateHook(ctx, requestOf(ctx).actor, in.Collection, store.Hook{URL: in.Body.URL, Events: in.Body.Events, Names: in.Body.Names})
		response := hookResponse(h)
		response.Secret = h.Secret
		return answered(response, v.published(ctx, in.Collection, err))
	})
	operation(v, http.MethodDelete, path+"/{hook}", "Send no more messages to an address", forAdmin, func(ctx context.Context, in *InHook) (*struct{}, error) {
		err := v.store.DeleteHook(ctx, requestOf(ctx).actor, in.Collection, in.Hook)
		return nil, v.published(ctx, in.Collection, err)
	})
	operation(v, http.MethodPost, path+"/{hook}/test", "Send a message with the event ping", forAdmin, func(ctx context.Context, in *InHook) (*body[Delivery], error) {
		j, err := v.store.TestHook(ctx, in.Collection, in.Hook)
		return answered(deliveryResponse(j), err)
	})
	operation(v, http.MethodGet, path+"/{hook}/deliveries", "List messages to an address of the last week, the latest first", forAdmin, func(ctx context.Context, in *struct {
		InHook
		Cursor
	},
	) (*body[Page[Delivery]], error) {
		if _, err := v.store.Hook(ctx, in.Collection, in.Hook); err != nil {
			return nil, err
		}
		list := func(before string, limit int) ([]store.Job, error) {
			return v.store.Jobs(ctx, in.Collection, store.KindMessage, "", in.Hook, before, limit)
		}
		return pageByID(in.Cursor, list, func(j store.Job) string { return j.ID }, deliveryResponse)
	})
}
