package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/cells"
	"sluice/pipeline/warehouse/postgres"
)

// awayHomes is what a database says of configured organizations that are not at home in it, by key;
// empty unless it is a cell of a fleet.
type awayHomes struct {
	last atomic.Pointer[map[string]cells.Home]
}

// known returns what was read last.
func (h *awayHomes) known() map[string]cells.Home {
	if last := h.last.Load(); last != nil {
		return *last
	}
	return nil
}

// Away returns what the database says of configured organizations that are not at home in it, by
// key: calls of them are refused. Those that are about to leave are among them.
func (a *App) Away(ctx context.Context) (map[string]cells.Home, error) {
	keys := make([]string, len(a.Config.Organizations))
	for i := range a.Config.Organizations {
		keys[i] = a.Config.Organizations[i].Key
	}
	return cells.Away(ctx, a.DB.Pool(), keys)
}

// AwayHomes returns the organizations of Away by key.
func (a *App) AwayHomes(ctx context.Context) ([]cells.Home, error) {
	away, err := a.Away(ctx)
	return slices.SortedFunc(maps.Values(away), func(a, b cells.Home) int { return strings.Compare(a.Organization, b.Organization) }), err
}

// Elsewhere reports of organizations whether they are at home in another cell, so that their
// figures are that cell's.
func (a *App) Elsewhere(ctx context.Context) (func(organization string) bool, error) {
	away, err := a.Away(ctx)
	return func(organization string) bool {
		home, is := away[organization]
		return is && !home.State.AtHome()
	}, err
}

// learnHomes reads which configured organizations are at home in another cell. The process leaves
// them alone until they arrive.
func (a *App) learnHomes(ctx context.Context) error {
	away, err := a.Away(ctx)
	if err != nil {
		return err
	}
	a.away.last.Store(&away)
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		if home, is := away[o.Key]; is {
			a.Log.WarnContext(ctx, "the organization is not at home in this cell, and is left alone",
				"organization", o.Key, "state", home.State, "peer", home.Peer)
		}
	}
	return nil
}

// registerHere learns which organizations are at home, and registers them. If some leave meanwhile,
// the process starts all the same, without them.
func (a *App) registerHere(ctx context.Context) error {
	var err error
	for range len(a.Config.Organizations) + 1 {
		if err := a.learnHomes(ctx); err != nil {
			return err
		}
		if err = a.register(ctx); !postgres.Away(err) {
			return err
		}
	}
	return err
}

// followHomes looks which organizations came or left since the last look. What a process does at
// its start for each organization, it does for those that came.
func (a *App) followHomes(ctx context.Context) error {
	before := a.away.known()
	now, err := a.Away(ctx)
	if err != nil {
		return err
	}
	came := make(map[string]bool)
	for key := range before {
		if _, is := now[key]; !is {
			came[key] = true
		}
	}
	for key, home := range now {
		if last, was := before[key]; !was || last.State != home.State {
			a.Log.InfoContext(ctx, "the organization moves", "organization", key, "state", home.State, "peer", home.Peer)
		}
	}
	if len(came) == 0 {
		a.away.last.Store(&now)
		return nil
	}
	known, err := a.DB.Organizations(ctx)
	if err != nil {
		return fmt.Errorf("read what is known of the organizations: %w", err)
	}
	for i := range known {
		if o := a.organizations[known[i].Organization]; o != nil && came[known[i].Organization] {
			o.FollowZone(known[i].TimeZone)
		}
	}
	a.away.last.Store(&now)
	if err := a.register(ctx); err != nil {
		a.away.last.Store(&before) // the next look tries again
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(came)) {
		a.Log.InfoContext(ctx, "the organization is at home in this cell now", "organization", key)
	}
	return nil
}

// streamsHere returns the configured streams of organizations that are at home, as far as this
// process knows.
func (a *App) streamsHere() []pipeline.Stream {
	all, away := a.Streams(), a.away.known()
	if len(away) == 0 {
		return all
	}
	here := make([]pipeline.Stream, 0, len(all))
	for _, stream := range all {
		if _, is := away[stream.Organization]; !is {
			here = append(here, stream)
		}
	}
	return here
}
