// Package mqtt tells a broker of MQTT which people the service has seen, and where, in topics that keep their last
// message. Home Assistant finds cameras and people by itself there.
//
//	b, err := mqtt.ParseBroker("mqtt://user:password@broker:1883")
//	p := mqtt.New(s, b, nil)
//	v := people.New(s, people.Options{Seen: p.Seen})
//	go p.Run(ctx)
//
// Experimental: this package may change in any version.
package mqtt

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A Broker is where messages go.
type Broker struct {
	address *url.URL
	base    string // before all topics
}

// A Publisher tells a broker of MQTT which people a service has seen. It is safe for concurrent use.
type Publisher struct {
	store  *store.Store
	log    *slog.Logger
	client paho.Client
	broker string // without its password
	base   string // before all topics

	wake     chan struct{}
	isEnding atomic.Bool
	problem  atomic.Pointer[string] // why there was no connection the last time

	mu        sync.Mutex
	messages  map[string][]byte // messages by topic: only the last one counts
	announced map[string]bool   // topics of discovery since the last connection
	people    map[string]Person // by topic: what the broker keeps
	cameras   map[string]Camera // by topic: what the broker keeps
	names     map[string]string // of collections
	topics    int64             // how many topics the broker was found to keep
	isFull    bool              // it was logged
}

// maxPending is the most topics of which a message waits: the sources of photographs are words of clients.
const maxPending = 10_000

// errBroker repeats nothing of the text: it may have a password.
var errBroker = errors.New("it is no URL such as mqtt://user:password@broker:1883 or mqtts://broker; write @, /, # " +
	"and % in a password as %40, %2F, %23 and %25")

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

// ParseBroker reads mqtt://USER:PASSWORD@HOST:PORT/TOPIC, or mqtts for TLS. TOPIC is before all others, nrdl if it
// is missing.
func ParseBroker(text string) (*Broker, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errBroker
	}
	ports := map[string]string{"mqtt": "1883", "tcp": "1883", "mqtts": "8883", "ssl": "8883"}
	port, ok := ports[u.Scheme]
	base := cmp.Or(strings.Trim(u.Path, "/"), "nrdl")
	switch {
	case !ok || u.Hostname() == "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errBroker
	case u.Port() != "" && !isPort(u.Port()):
		return nil, fmt.Errorf("the port %s is not one from 1 to 65535", u.Port())
	case strings.ContainsAny(base, "+#\x00"):
		return nil, fmt.Errorf("the topic %q has + or #", base)
	}
	return &Broker{&url.URL{Scheme: u.Scheme, User: u.User, Host: net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))}, base}, nil
}

// String is the address without the password; "" for nil.
func (b *Broker) String() string {
	if b == nil {
		return ""
	}
	return b.address.Redacted()
}

// New returns a Publisher that names people as a store does. The caller closes the store after Run. A nil log logs
// nothing.
func New(s *store.Store, b *Broker, log *slog.Logger) *Publisher {
	p := &Publisher{
		store: s, log: cmp.Or(log, slog.New(slog.DiscardHandler)), broker: b.String(), base: b.base, wake: make(chan struct{}, 1),
		messages: map[string][]byte{}, announced: map[string]bool{}, people: map[string]Person{},
		cameras: map[string]Camera{}, names: map[string]string{},
	}
	of := paho.NewClientOptions().AddBroker(b.address.Scheme+"://"+b.address.Host).SetClientID("nrdl-"+store.NewID()).
		SetConnectRetry(true).SetConnectRetryInterval(5*time.Second).SetMaxReconnectInterval(time.Minute).SetOrderMatters(false).
		SetWriteTimeout(patience).SetConnectTimeout(patience).SetTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12}).
		SetWill(p.statusTopic(), "offline", 1, true).
		SetOnConnectHandler(p.connected).
		SetConnectionLostHandler(func(_ paho.Client, err error) {
			p.log.Warn("the connection with the broker is lost", "broker", p.broker, "error", err.Error())
		}).
		SetConnectionNotificationHandler(func(_ paho.Client, n paho.ConnectionNotification) {
			if f, ok := n.(paho.ConnectionNotificationFailed); ok {
				p.failed(f.Reason)
			}
		})
	if b.address.User != nil {
		of.SetUsername(b.address.User.Username())
		password, _ := b.address.User.Password()
		of.SetPassword(password)
	}
	p.client = paho.NewClient(of)
	return p
}

// failed logs why there is no connection, once for each reason in a row.
func (p *Publisher) failed(err error) {
	text := err.Error()
	if last := p.problem.Swap(&text); last == nil || *last != text {
		p.log.Warn("no connection with the broker: messages wait for it", "broker", p.broker, "error", text)
	}
}

// patience is the longest time for an answer of the broker.
const patience = 10 * time.Second

func (p *Publisher) statusTopic() string { return p.base + "/status" }

// connected says that the service is there, and asks what the broker keeps of people.
func (p *Publisher) connected(c paho.Client) {
	p.log.Info("connected with the broker", "broker", p.broker)
	p.problem.Store(nil)
	p.mu.Lock()
	clear(p.announced)
	p.mu.Unlock()
	c.Publish(p.statusTopic(), 1, true, "online")
	// Another process of this service, or another service, may have ended.
	c.Subscribe(p.statusTopic(), 1, func(c paho.Client, m paho.Message) {
		if string(m.Payload()) == "offline" && !p.isEnding.Load() {
			c.Publish(p.statusTopic(), 1, true, "online")
		}
	})
	c.Subscribe(p.base+"/+/person/+", 1, kept(p, p.people))
	c.Subscribe(p.base+"/+/camera/+", 1, kept(p, p.cameras))
	p.signal()
}

func (p *Publisher) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Run sends messages until ctx ends; then it says that the service is away. It may be called once.
func (p *Publisher) Run(ctx context.Context) {
	p.client.Connect()
	const look = 5 * time.Second
	var seen int64 = math.MinInt64
	for ctx.Err() == nil {
		people.Pause(ctx, look, p.wake)
		if !p.client.IsConnectionOpen() {
			continue
		}
		if now, err := p.version(ctx); err == nil && now != seen && p.follow(ctx) == nil {
			seen = now
		}
		p.flush()
	}
	p.isEnding.Store(true)
	if p.client.IsConnectionOpen() {
		p.client.Publish(p.statusTopic(), 1, true, "offline").WaitTimeout(patience)
	}
	p.client.Disconnect(250)
}

// flush sends what waits, until the broker does not take a message.
func (p *Publisher) flush() {
	for {
		p.mu.Lock()
		topic, m := "", []byte(nil)
		for topic, m = range p.messages {
			break
		}
		delete(p.messages, topic)
		p.mu.Unlock()
		if topic == "" {
			return
		}
		if t := p.client.Publish(topic, 1, true, m); t.WaitTimeout(patience) && t.Error() == nil {
			continue
		}
		p.mu.Lock()
		if _, newer := p.messages[topic]; !newer {
			p.messages[topic] = m
		}
		p.mu.Unlock()
		return
	}
}

// put lets a message wait for Run. p.mu is held.
func (p *Publisher) put(topic string, m []byte) {
	if _, ok := p.messages[topic]; !ok && len(p.messages) >= maxPending {
		if !p.isFull {
			p.log.Error("messages for the broker are lost: too many wait for it", "broker", p.broker)
		}
		p.isFull = true
		return
	}
	p.isFull = false
	p.messages[topic] = m
}
