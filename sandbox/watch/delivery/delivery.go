// Package delivery sends callbacks one after the other. On demand it loses, repeats, delays and
// reorders them, as live services do (docs/upstream.md U286).
//
// It knows no channels and no events: package watch decides what is sent and where. It sends a
// failed callback once: no retry of live services is known. Start reading with Queue.
package delivery

import (
	"context"
	"errors"
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

// Poster sends one callback: an HTTP POST of JSON. It follows no redirect and answers the status.
type Poster interface {
	Post(ctx context.Context, address string, body []byte) (status int, err error)
}

// Chaos says what goes wrong: rates from 0 (never) to 1 (always), drawn for each callback.
type Chaos struct {
	Lose      float64 `json:"lose"`
	Duplicate float64 `json:"duplicate"` // sent twice, to the byte
	Late      float64 `json:"late"`
	Reorder   float64 `json:"reorder"` // the next waiting one goes first
	// LateBy is the delay, by the clock of the options; 0 is a minute.
	LateBy time.Duration `json:"late_by_ns"`
}

// Check returns an error if a rate is outside 0 to 1.
func (c Chaos) Check() error {
	for _, rate := range []float64{c.Lose, c.Duplicate, c.Late, c.Reorder} {
		if !(rate >= 0 && rate <= 1) { // this form rejects NaN as well.
			return errors.New("watch: rates of lost, repeated, late and reordered callbacks lie between 0 and 1")
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
	Body    func(sent time.Time) ([]byte, error)
}

// Stats count callbacks.
type Stats struct {
	Queued     int `json:"queued"` // published, before chaos
	Sent       int `json:"sent"`   // answered with 2xx
	Failed     int `json:"failed"` // answered otherwise, or not at all
	Lost       int `json:"lost"`
	Duplicated int `json:"duplicated"`
	Late       int `json:"late"`
	Reordered  int `json:"reordered"`
	Dropped    int `json:"dropped"` // because the queue was full
	Waiting    int `json:"waiting"`
}
