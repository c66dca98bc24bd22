package jobs

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
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

	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

var errPrivate = people.Invalid("the address is of a private network or of this machine: nrdl serve --private-hooks sends messages there")

// reserved are further networks to which no message is sent; net/netip knows the others.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16"),
}

// unicast has all public addresses of IPv6 (RFC 4291, 2.4). Outside of it are those that
// stand for one of IPv4: ::/96, ::ffff:0:0:0/96, 64:ff9b::/96 and 64:ff9b:1::/48.
var unicast = netip.MustParsePrefix("2000::/3")

// IsPrivate reports whether an address is not one of the public network.
func IsPrivate(a netip.Addr) bool {
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
		if err == nil && !private && IsPrivate(a.Addr()) {
			err = errPrivate
		}
		return err
	}}
	return &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, DisableKeepAlives: true,
			TLSHandshakeTimeout: patience, MaxResponseHeaderBytes: headers,
		},
	}
}

// oldest is the age of the oldest messages that are sent. An older one exists only if no process
// ran meanwhile, or if the database is a copy of an older state.
const oldest = 24 * time.Hour

// send sends a message to its hook.
func (v *Service) send(ctx context.Context, j *store.Job) error {
	if time.Since(j.Created) > oldest {
		return people.Invalid("the message is more than a day old: it is not sent, as this may be a copy of a database that has sent it")
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
		return people.Invalid("the URL cannot be used")
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
	defer func() { v.Count("nrdl_hook_messages_total", "result", result) }()
	a, err := v.sender.Do(r)
	switch {
	case errors.Is(err, errPrivate):
		return errPrivate
	case err != nil && ctx.Err() == nil:
		return people.Failed(http.StatusBadGateway, "the address does not answer")
	case err != nil:
		return err
	}
	defer a.Body.Close()
	const limit = 1 << 16
	_, _ = io.Copy(io.Discard, io.LimitReader(a.Body, limit)) // the status is what counts
	if a.StatusCode < 200 || a.StatusCode > 299 {
		return people.Failed(http.StatusBadGateway, "the answer has status %d", a.StatusCode)
	}
	result = "sent"
	return nil
}

// namesIn returns the names of the people in an event, by id.
func (v *Service) namesIn(ctx context.Context, collection string, e store.Event) (map[string]string, error) {
	var photo people.PhotoEvent
	if e.Photo != nil {
		if err := json.Unmarshal(e.Photo, &photo); err != nil {
			return nil, err
		}
	}
	names := map[string]string{}
	for _, f := range append(photo.Faces, people.PhotoFace{Person: e.Person}) {
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

// A HookRequest asks for messages about a collection.
type HookRequest struct {
	URL    string   `json:"url" maxLength:"2000" doc:"http or https; not of a private network unless the service allows it"`
	Events []string `json:"events" minItems:"1" enum:"faces.added,person.changed,person.erased,job.finished,photo.known,photo.unknown,photo.none"`
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

// HookResponse is the API form of a hook, without its secret.
func HookResponse(h store.Hook) Hook { return Hook{h.ID, h.URL, h.Events, h.Names, h.Created, ""} }

// DeliveryResponse is the API form of a message.
func DeliveryResponse(j store.Job) Delivery {
	var e store.Event
	_ = json.Unmarshal(j.Payload, &e) // the store wrote it
	d := Delivery{ID: j.ID, Event: e.Event, State: j.State, Attempts: j.Attempts, Error: j.Error, Created: j.Created}
	if !j.Finished.IsZero() {
		d.Finished = &j.Finished
	}
	return d
}

// CheckHook returns an error if no message can be sent to a URL. A host without an address is
// allowed.
func (v *Service) CheckHook(ctx context.Context, text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Opaque != "" {
		return people.Invalid("the URL is to be http:// or https:// and a host, without a password")
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || n == 0) {
		return people.Invalid("the port of the URL is %.20s: a port is a number from 1 to 65535", u.Port())
	}
	host := strings.TrimSuffix(norm.NFKC.String(u.Hostname()), ".") // as names of hosts are compared
	a, err := netip.ParseAddr(host)
	if labels := strings.Split(host, "."); err != nil && number.MatchString(labels[len(labels)-1]) {
		return people.Invalid("the host of the URL is a number, but no address: write it as 192.0.2.1 or [2001:db8::1]")
	}
	if !isHost(u.Hostname()) {
		return people.Invalid(
			"%+.100q is no name of a host: write it in ordinary letters, digits and hyphens, with dots between, as in door.example", u.Hostname())
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
	if slices.ContainsFunc(addresses, IsPrivate) {
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
