package jobs

import (
	"encoding/base64"
	"net/netip"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/server/store"
)

// Addresses of private networks and of this machine are distinguished from those of others, also those of IPv6
// that stand for one of IPv4.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"8.8.8.8": false, "2a00:1450:4001::1": false, "10.1.2.3": true, "172.16.0.1": true, "192.168.1.1": true,
		"127.1.2.3": true, "0.0.0.0": true, "169.254.1.1": true,
		"100.64.0.1": true, "::1": true, "::": true, "fe80::1%eth0": true, "fd00::1": true, "::ffff:127.0.0.1": true,
		"64:ff9b::7f00:1": true, "224.0.0.1": true, "ff02::1": true, "255.255.255.255": true,
		"::127.0.0.1": true, "::8.8.8.8": true, "::ffff:0:127.0.0.1": true, "::ffff:0:8.8.8.8": true,
		"::ffff:8.8.8.8": false, "64:ff9b::8.8.8.8": true, "64:ff9b:1::7f00:1": true,
		"2002:7f00:1::": true, "2002:808:808::": true, "2001:0:808:808::": true, "2001:200::1": false,
		"fec0::1": true, "100::1": true, "4000::1": true, "2620:fe::9": false, "192.88.99.1": true,
	} {
		if IsPrivate(netip.MustParseAddr(text)) != want {
			t.Errorf("%s is private: %v", text, !want)
		}
	}
}

// A signature is the one that the specification of Standard Webhooks has as an example.
func TestStandardSignature(t *testing.T) {
	t.Parallel()
	secret, err := base64.StdEncoding.DecodeString("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	got := standardSignature(string(secret), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if got != "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Error(got)
	}
}

// A message that is older than all its tries is not sent: the database may be an old copy.
func TestOldMessages(t *testing.T) {
	t.Parallel()
	v := New(nil, nil, Options{})
	err := v.send(t.Context(), &store.Job{Created: time.Now().Add(-oldest - time.Minute)})
	if err == nil || !strings.Contains(err.Error(), "more than a day old") {
		t.Error(err)
	}
}
