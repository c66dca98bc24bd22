package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// fair measures how long one key waits for photographs, one after another: first alone, then beside
// another key that sends photographs over many connections without a pause. It takes half a minute at most.
func fair(dir string) error {
	of, _, err := drawn(dir, 3)
	if err != nil {
		return err
	}
	p, err := start(filepath.Join(dir, "nrdl.db"), "")
	if err != nil {
		return err
	}
	defer p.kill()
	at, err := collection(p, of)
	if err != nil {
		return err
	}
	keys, err := twoKeys(p.url)
	if err != nil {
		return err
	}
	var photo []byte
	for _, photos := range of {
		photo = photos[0]
		break
	}
	kind, body := form("photo", photo)
	whole := time.Duration(min(*seconds, 30)) * time.Second
	alone, err := timesAs(keys[1], at+"/identify", kind, body, whole/3)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	var many sync.WaitGroup
	var answered, refused atomic.Int64
	connections := min(*clients, 200)
	for range connections {
		many.Go(func() {
			for ctx.Err() == nil {
				if sendAs(ctx, keys[0], at+"/identify", kind, body, nil) == nil {
					answered.Add(1)
				} else if ctx.Err() == nil {
					refused.Add(1)
				}
			}
		})
	}
	time.Sleep(time.Second) // until they all wait
	beside, err := timesAs(keys[1], at+"/identify", kind, body, whole*2/3-time.Second)
	stop()
	many.Wait()
	fmt.Printf("| the other key | requests | median | p95 |\n|---|---|---|---|\n")
	fmt.Printf("| alone | %d | %.0f ms | %.0f ms |\n", len(alone), quantile(alone, 0.5), quantile(alone, 0.95))
	fmt.Printf("| beside %d connections of one key (%d answers, %d refused) | %d | %.0f ms | %.0f ms |\n",
		connections, answered.Load(), refused.Load(), len(beside), quantile(beside, 0.5), quantile(beside, 0.95))
	return err
}

// timesAs returns how long each of the requests takes that are posted one after another for a while.
func timesAs(secret, url, kind string, body []byte, d time.Duration) (all []time.Duration, err error) {
	for end := time.Now().Add(d); time.Now().Before(end) && err == nil; {
		begun := time.Now()
		err = sendAs(context.Background(), secret, url, kind, body, nil)
		all = append(all, time.Since(begun))
	}
	return all, err
}

// twoKeys makes two keys, and returns their secrets.
func twoKeys(url string) (secrets [2]string, err error) {
	for i := range secrets {
		var made struct {
			Secret string `json:"key"`
		}
		body, _ := json.Marshal(object{"name": fmt.Sprintf("key %d", i), "scopes": []string{"admin"}})
		if err := sendAs(context.Background(), secrets[0], url+"/v1/keys", "application/json", body, &made); err != nil {
			return secrets, err
		}
		secrets[i] = made.Secret
	}
	return secrets, nil
}

// sendAs posts with the secret of a key, "" for none; into, if not nil, gets the answer.
func sendAs(ctx context.Context, secret, url, kind string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", kind)
	if secret != "" {
		r.Header.Set("Authorization", "Bearer "+secret)
	}
	a, err := web.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode/100 != 2 {
		err = fmt.Errorf("%s: %d %s", url, a.StatusCode, data)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(data, into)
	}
	return err
}
