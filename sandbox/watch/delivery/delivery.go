// Package delivery sends callbacks one after the other. On demand it loses, repeats, delays and
// reorders them, as live services do (docs/upstream.md U286), and plays a proxy that rewrites them.
//
// It knows no channels, no rules and no events: packages watch and webhooks decide what is sent,
// where, and how often a failed callback is tried. Start reading with Queue.
package delivery

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"
)

const (
	defaultTimeout = 10 * time.Second
	defaultLateBy  = time.Minute
	// mostWaiting bounds the queue: a receiver that is down must not fill the memory.
	mostWaiting = 100_000
	// longestNap is the delay within which the worker notices a moved clock.
	longestNap = time.Second
)

// Poster sends one callback: an HTTP POST with these headers, the type of the body among them. It
// follows no redirect and answers the status. It changes neither headers nor body.
type Poster interface {
	Post(ctx context.Context, address string, header http.Header, body []byte) (status int, err error)
}

// Chaos says what goes wrong: rates from 0 (never) to 1 (always), drawn for each callback.
type Chaos struct {
	Lose      float64 `json:"lose"`
	Duplicate float64 `json:"duplicate"` // sent twice, to the byte
	Late      float64 `json:"late"`
	Reorder   float64 `json:"reorder"` // the next waiting one goes first
	// LateBy is the delay, by the clock of the options; 0 is a minute.
	LateBy time.Duration `json:"late_by_ns"`
	// Reencode and Gzip are what a proxy does on the way: it writes JSON anew, with the same values
	// in other bytes, or packs the body and says so. A signature is of the bytes before.
	Reencode float64 `json:"reencode"`
	Gzip     float64 `json:"gzip"`
}

// Check returns an error if a rate is outside 0 to 1.
func (c Chaos) Check() error {
	for _, rate := range []float64{c.Lose, c.Duplicate, c.Late, c.Reorder, c.Reencode, c.Gzip} {
		if !(rate >= 0 && rate <= 1) { // this form rejects NaN as well.
			return errors.New("watch: rates of lost, repeated, late, reordered and rewritten callbacks lie between 0 and 1")
		}
	}
	if c.LateBy < 0 {
		return errors.New("watch: callbacks cannot be late by less than nothing")
	}
	return nil
}

// Options say how callbacks are sent.
type Options struct {
	Now    func() time.Time // the clock; required
	Poster Poster           // required
	// Seed fixes what chaos strikes, in the order of the callbacks.
	Seed  int64
	Chaos Chaos
	// Timeout of one callback, in real time; 0 is ten seconds.
	Timeout time.Duration
}

// Callback is one message. Body is called once, at the first sending; an error of Body fails the
// callback.
type Callback struct {
	Address string
	Header  http.Header // beside the type of the body, which is JSON
	Body    func(sent time.Time) ([]byte, error)
	// Delay is the time before the first sending, by the clock of the options.
	Delay time.Duration
	// Retries is how often it is sent again after an answer other than 2xx or none; Pause is the
	// time before each.
	Retries int
	Pause   time.Duration
}

// Stats count callbacks.
type Stats struct {
	Queued     int `json:"queued"` // published, before chaos
	Sent       int `json:"sent"`   // answered with 2xx
	Failed     int `json:"failed"` // given up: answered otherwise, or not at all
	Retried    int `json:"retried"`
	Lost       int `json:"lost"`
	Duplicated int `json:"duplicated"`
	Late       int `json:"late"`
	Reordered  int `json:"reordered"`
	Reencoded  int `json:"reencoded"`
	Gzipped    int `json:"gzipped"`
	Dropped    int `json:"dropped"` // because the queue was full
	Waiting    int `json:"waiting"`
}

const jsonType = "application/json;charset=UTF-8"

// arriving returns a callback as it reaches the receiver, behind the proxy that chaos puts there.
func (m *message) arriving() (http.Header, []byte) {
	header, body := m.Header.Clone(), m.rendered
	if header == nil {
		header = http.Header{}
	}
	header.Set("Content-Type", jsonType)
	if m.reencode {
		body = reencoded(body)
	}
	if m.packed {
		header.Set("Content-Encoding", "gzip")
		body = packed(body)
	}
	return header, body
}

// reencoded writes JSON anew: keys sorted, and blanks between. A body that is no JSON stays.
func reencoded(body []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber() // a proxy of this kind changes no value
	var value any
	if err := decoder.Decode(&value); err != nil {
		return body
	}
	anew, err := json.MarshalIndent(value, "", "  ")
	if err != nil { // what was decoded can be encoded
		return body
	}
	return anew
}

func packed(body []byte) []byte {
	var small bytes.Buffer
	packer := gzip.NewWriter(&small)
	_, _ = packer.Write(body) // memory accepts every write
	_ = packer.Close()
	return small.Bytes()
}
