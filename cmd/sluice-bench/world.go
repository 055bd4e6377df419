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
}

// behind is how far the clock of a world is behind at the start. The measurement moves it on: what
// happens before a step is then older than the lag of the watermark.
const behind = 30 * time.Minute

// inWorld runs work beside a new world.
func inWorld(options simulated.Options, work func(u *world) error) error {
	const headerLimit = 10 * time.Second
	options.Plan, options.Seed = tariff, 1
	options.Now = func() time.Time { return time.Now().Add(-behind) }
	server, err := simulated.New(options)
	if err != nil {
		return fmt.Errorf("simulate upstream: %w", err)
	}
	server.Advance(time.Second) // from now on the header Date has the virtual time
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the upstream: %w", err)
	}
	serving := &http.Server{Handler: server, ReadHeaderTimeout: headerLimit}
	failed := make(chan error, 1)
	go func() { failed <- serving.Serve(listener) }()
	err = work(&world{Server: server, address: sandbox{
		URL: "http://" + listener.Addr().String(), Organization: simulated.DefaultOrganizationID, ClientID: simulated.ClientID,
		ClientSecret: simulated.ClientSecret, RefreshToken: simulated.RefreshToken,
	}})
	err = errors.Join(err, serving.Close())
	if ended := <-failed; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serve the upstream: %w", ended))
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

// edit changes a number of records of a list, and returns how many it were.
func (u *world) edit(l list, seed int64, edits int) (int, error) {
	changed, err := u.Change(simulated.Change{Seed: seed, Edits: edits, Resources: []string{l.resource}})
	return len(changed[l.resource].Edited), err
}

// grow adds records to a list until it has so many, a thousand in one second.
func (u *world) grow(l list, records int) error {
	const together = 1000
	for missing := records - len(u.Listed(l.service, l.resource)); missing > 0; missing -= together {
		u.Advance(time.Second)
		if _, err := u.Change(simulated.Change{Inserts: min(missing, together), Resources: []string{l.resource}}); err != nil {
			return err
		}
	}
	return nil
}
