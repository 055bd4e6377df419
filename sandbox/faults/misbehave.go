package faults

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"sluice/sandbox/answer"
	"sluice/sandbox/services"
)

const (
	pieces       = 16 // of a slow body
	defaultPause = 50 // milliseconds between them
	maintenance  = "<!DOCTYPE html><html><head><title>Maintenance</title></head><body><h1>We will be back soon</h1></body></html>\n"
)

// Misbehave answers instead of the service, spoils the transport of its answer, or lets it serve.
func Misbehave(w http.ResponseWriter, r *http.Request, fault *Fault, serve func(http.ResponseWriter)) {
	if fault == nil {
		serve(w)
		return
	}
	service := services.Of(r.URL.Path)
	switch fault.Kind {
	case "html":
		answer.Body(w, http.StatusOK, answer.HTMLType, []byte(maintenance))
	case "unavailable":
		answer.Body(w, http.StatusServiceUnavailable, answer.HTMLType, []byte(maintenance))
	case "error_in_200":
		answer.Error(w, http.StatusOK, cmp.Or(fault.Code, answer.NotAuthorized), "An internal error occurred")
	case "throttle":
		answer.Refuse(w, service, answer.Throttled)
	case "crowded":
		answer.Refuse(w, service, answer.Crowded)
	case "exhausted":
		answer.Refuse(w, service, answer.Exhausted)
	case "unauthorized":
		answer.Fail(w, service, http.StatusUnauthorized, answer.InvalidToken, "You are not authorized to perform this operation")
	case "forbidden":
		answer.Fail(w, service, http.StatusForbidden, answer.InvalidToken, "You do not have enough permission")
	case "redirect":
		w.Header().Set("Location", cmp.Or(fault.Location, "http://elsewhere.invalid")+r.URL.Path)
		w.WriteHeader(http.StatusFound)
	case "reset":
		reset(w)
	case "cut", "cut_silent", "slow":
		whole := &captured{header: w.Header()}
		serve(whole)
		deliver(w, r, fault, whole)
	default: // faults of records and pages happen where these are made
		if act, found := find(fault.Kind); found {
			act.play(w, r, fault, serve)
			return
		}
		serve(w)
	}
}

// deliver sends a whole answer badly.
func deliver(w http.ResponseWriter, r *http.Request, fault *Fault, whole *captured) {
	body := whole.body.Bytes()
	switch fault.Kind {
	case "cut":
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(whole.code())
		_, _ = w.Write(body[:fault.until(body)])
		_ = http.NewResponseController(w).Flush() // the connection breaks next in any case
		panic(http.ErrAbortHandler)
	case "cut_silent":
		cutSilently(w, whole, fault.until(body))
	default:
		dribble(w, r, whole, fault.pause())
	}
}

// until returns the number of bytes of a body to send.
func (f *Fault) until(body []byte) int {
	if f.Byte > 0 {
		return min(f.Byte, len(body))
	}
	return len(body) / 2 // half of it.
}

// dribble sends the body in pieces, each after a pause.
func dribble(w http.ResponseWriter, r *http.Request, whole *captured, pause time.Duration) {
	body := whole.body.Bytes()
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(whole.code())
	for n := range pieces {
		piece := body[len(body)*n/pieces : len(body)*(n+1)/pieces]
		if !answer.Wait(r, pause) {
			return
		}
		if _, err := w.Write(piece); err != nil {
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
	}
}

// pause returns the pause of a slow answer.
func (f *Fault) pause() time.Duration {
	return time.Duration(cmp.Or(f.Milliseconds, defaultPause)) * time.Millisecond
}

// cutSilently writes a close-delimited answer: the only kind whose framing hides a cut from every
// client.
func cutSilently(w http.ResponseWriter, whole *captured, until int) {
	connection, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil { // not the server's own connection: break off instead
		panic(http.ErrAbortHandler)
	}
	defer func() { _ = connection.Close() }()
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nConnection: close\r\n\r\n",
		whole.code(), http.StatusText(whole.code()), whole.header.Get("Content-Type"))
	_, _ = buffer.WriteString(head)
	_, _ = buffer.Write(whole.body.Bytes()[:until])
	_ = buffer.Flush()
}

// reset closes the connection with a TCP reset where it can.
func reset(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	inner := connection
	if secured, ok := connection.(*tls.Conn); ok {
		inner = secured.NetConn()
	}
	if plain, ok := inner.(*net.TCPConn); ok {
		_ = plain.SetLinger(0)
	}
	_ = inner.Close()
}

// captured holds a whole answer in memory, for bad delivery.
type captured struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the header of the real answer.
func (c *captured) Header() http.Header { return c.header }

// WriteHeader notes the status.
func (c *captured) WriteHeader(status int) { c.status = status }

// Write keeps the bytes.
func (c *captured) Write(data []byte) (int, error) { return c.body.Write(data) }

// Flush has nothing to do: the answer is delivered when it is whole.
func (c *captured) Flush() {}

func (c *captured) code() int {
	if c.status == 0 {
		return http.StatusOK
	}
	return c.status
}
