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
	var keys [2]struct {
		Secret string `json:"key"`
	}
	for i := range keys {
		body, _ := json.Marshal(object{"name": fmt.Sprintf("key %d", i), "scopes": []string{"admin"}})
		if err := sendAs(context.Background(), keys[0].Secret, p.url+"/v1/keys", "application/json", body, &keys[i]); err != nil {
			return err
		}
	}
	var photo []byte
	for _, photos := range of {
		photo = photos[0]
		break
	}
	kind, body := form("photo", photo)
	whole := time.Duration(min(*seconds, 30)) * time.Second
	times := func(d time.Duration) (all []time.Duration, err error) {
		for end := time.Now().Add(d); time.Now().Before(end) && err == nil; {
			begun := time.Now()
			err = sendAs(context.Background(), keys[1].Secret, at+"/identify", kind, body, nil)
			all = append(all, time.Since(begun))
		}
		return all, err
	}
	alone, err := times(whole / 3)
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
				if sendAs(ctx, keys[0].Secret, at+"/identify", kind, body, nil) == nil {
					answered.Add(1)
				} else if ctx.Err() == nil {
					refused.Add(1)
				}
			}
		})
	}
	time.Sleep(time.Second) // until they all wait
	beside, err := times(whole*2/3 - time.Second)
	stop()
	many.Wait()
	fmt.Printf("| the other key | requests | median | p95 |\n|---|---|---|---|\n")
	fmt.Printf("| alone | %d | %.0f ms | %.0f ms |\n", len(alone), quantile(alone, 0.5), quantile(alone, 0.95))
	fmt.Printf("| beside %d connections of one key (%d answers, %d refused) | %d | %.0f ms | %.0f ms |\n",
		connections, answered.Load(), refused.Load(), len(beside), quantile(beside, 0.5), quantile(beside, 0.95))
	return err
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
	a, err := client.Do(r)
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
