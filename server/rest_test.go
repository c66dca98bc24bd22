package server

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
)

// Clients that read no answer before they have sent all of a request get the answer, whatever is
// refused: a body that is too large, or a request whose body nobody reads.
func TestAnswerBeforeBody(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Body: 4 << 20})
	at := c.collection()
	const size = 15 << 20
	head := "--x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"x\"\r\n\r\n"
	for _, r := range []struct {
		route, header string
		want          int
	}{
		{at + "/identify", "Content-Type: multipart/form-data; boundary=x\r\n", 413},
		{at + "/identify", "Content-Type: multipart/form-data; boundary=x\r\nAuthorization: Bearer no\r\n", 401},
		{"/v1/collections/none/identify", "Content-Type: multipart/form-data; boundary=x\r\n", 404},
		{"/v1/none", "", 404},
	} {
		for _, chunked := range []bool{false, true} {
			length := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(head)+size, head)
			rest := bytes.Repeat([]byte("x"), size)
			if chunked {
				length = "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s", len(head)+size, head)
				rest = append(rest, "\r\n0\r\n\r\n"...)
			}
			conn, err := net.Dial("tcp", c.server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\n%s%s", r.route, r.header, length); err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Write(rest); err != nil {
				t.Errorf("%s, chunked %t: %v", r.route, chunked, err)
				continue
			}
			a, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Errorf("%s, chunked %t: %v", r.route, chunked, err)
				continue
			}
			text, err := io.ReadAll(a.Body)
			a.Body.Close()
			if err != nil || a.StatusCode != r.want {
				t.Errorf("%s, chunked %t: %d %s %v, want %d", r.route, chunked, a.StatusCode, text, err, r.want)
			}
		}
	}
}
