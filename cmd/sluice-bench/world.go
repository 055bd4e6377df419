package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	simulated "sluice/sandbox"
)

// world is a simulated upstream in this process: the measurement moves its clock and knows what its
// lists hold. Where calls are counted, nobody's time counts, so it needs no process of its own.
type world struct {
	*simulated.Server

	address sandbox
	// moved is how far the clock was moved on.
	moved time.Duration
}

// Advance moves the clock on.
func (u *world) Advance(step time.Duration) {
	u.moved += step
	u.Server.Advance(step)
}

// catchUp moves the clock on to the present time.
func (u *world) catchUp() { u.Advance(max(behind-u.moved, 0)) }

// behind is how far the clock of a world is behind at the start. The measurement moves it on: what
// happens before a step is then older than the lag of the watermark.
const behind = 6 * time.Hour

// inWorld runs work beside a new world whose clock is behind.
func inWorld(ctx context.Context, options simulated.Options, work func(u *world) error) error {
	options.Now = func() time.Time { return time.Now().Add(-behind) }
	return withWorld(ctx, options, func(answers http.Handler) http.Handler { return answers }, work)
}

// withWorld runs work beside a new world, with the clock of the options. Calls go through a handler
// of the measurement's own.
func withWorld(ctx context.Context, options simulated.Options, through func(answers http.Handler) http.Handler, work func(u *world) error) error {
	options.Plan, options.Seed = tariff, 1
	server, err := simulated.New(options)
	if err != nil {
		return fmt.Errorf("simulate upstream: %w", err)
	}
	server.Advance(time.Second) // from now on the header Date has the virtual time
	return served(ctx, through(server), func(url string) error {
		return work(&world{Server: server, address: sandbox{
			URL: url, Organization: simulated.DefaultOrganizationID, ClientID: simulated.ClientID,
			ClientSecret: simulated.ClientSecret, RefreshToken: simulated.RefreshToken,
		}})
	})
}

// served runs work while a handler listens at an address of this process.
func served(ctx context.Context, handler http.Handler, work func(url string) error) error {
	const headerLimit = 10 * time.Second
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	serving := &http.Server{Handler: handler, ReadHeaderTimeout: headerLimit}
	failed := make(chan error, 1)
	go func() { failed <- serving.Serve(listener) }()
	err = errors.Join(work("http://"+listener.Addr().String()), serving.Close())
	if ended := <-failed; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serve: %w", ended))
	}
	return err
}

// remove deletes records of a list upstream.
func (u *world) remove(ctx context.Context, l list, ids []string) error {
	body, err := json.Marshal(map[string]any{"resource": l.stream(), "ids": ids})
	if err != nil {
		return fmt.Errorf("name what is to be deleted: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.address.URL+"/_sandbox/delete", bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("delete %s: %w", l.name, err)
	}
	response, err := new(http.Client).Do(request)
	if err != nil {
		return fmt.Errorf("delete %s: %w", l.name, err)
	}
	defer func() { _ = response.Body.Close() }() // it was read
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusOK {
		return errors.Join(err, fmt.Errorf("delete %s: status %d: %s", l.name, response.StatusCode, text))
	}
	return nil
}

// edit changes a number of records of a list, four in a second, and returns how many it were.
func (u *world) edit(l list, edits int) (int, error) {
	const together = 4
	edited := make(map[string]bool)
	for left := edits; left > 0; left -= together {
		u.Advance(time.Second)
		changed, err := u.Change(simulated.Change{Seed: int64(u.moved), Edits: min(left, together), Resources: []string{l.resource}})
		if err != nil {
			return 0, err
		}
		for _, id := range changed[l.resource].Edited {
			edited[id] = true
		}
	}
	return len(edited), nil
}

// grow adds records to a list until it has so many, four in a second.
func (u *world) grow(l list, records int) error {
	const together = 4
	for missing := records - len(u.Listed(l.service, l.resource)); missing > 0; missing -= together {
		u.Advance(time.Second)
		if _, err := u.Change(simulated.Change{Inserts: min(missing, together), Resources: []string{l.resource}}); err != nil {
			return err
		}
	}
	return nil
}
