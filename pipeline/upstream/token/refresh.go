package token

import (
	"context"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
)

// asked is one request to the store: for which organization, and which version of the token
// upstream refused.
type asked struct {
	organization *pipeline.Organization
	credential   Credential
	id           string
	refused      int64
}

// ask gets a token from the store, and refreshes it there if necessary.
func (t *Tokens) ask(ctx context.Context, a asked) (grant, error) {
	var (
		given   grant
		failure error
	)
	err := t.store.WithToken(ctx, a.id, func(ctx context.Context, row pipeline.Token) (pipeline.Token, bool, error) {
		var (
			next  pipeline.Token
			store bool
		)
		next, store, given, failure = t.settle(ctx, a, row)
		// A failure is no error of the store, so that WithToken stores what settle learned.
		return next, store, nil
	})
	if err != nil {
		return grant{}, t.tokenError(pipeline.Unavailable, "the stored token could not be reached", err)
	}
	return given, failure
}

// settle looks at the row, locked, and refreshes if it must. It returns what to store and whether
// to store it, and the token to use or the error.
func (t *Tokens) settle(ctx context.Context, a asked, row pipeline.Token) (pipeline.Token, bool, grant, error) {
	if row.Reason != "" && row.SinceRefresh < deniedFor {
		return row, false, grant{}, t.denied(a, row.Reason)
	}
	current, row, err := t.current(a, row)
	if err != nil {
		return row, false, grant{}, err
	}
	dead := len(row.Sealed) > 0 && a.refused != 0 && row.Version == a.refused
	alive := len(row.Sealed) > 0 && !dead && row.ExpiresIn > 0
	now := t.now()
	if alive && row.ExpiresIn > margin {
		return row, false, grant{token: current, version: row.Version, until: now.Add(row.ExpiresIn - margin)}, nil
	}
	// The token is near its end and there may be no new one. It is used while it lives, and the
	// store is asked again after the spacing.
	last := grant{token: current, version: row.Version, until: now.Add(min(row.ExpiresIn, spacing))}
	if pause := pauseOf(row); row.SinceRefresh < pause {
		if alive {
			return row, false, last, nil
		}
		return row, false, grant{}, t.tooSoon(a, row, pause-row.SinceRefresh, dead, now)
	}
	if err := t.replaced(&a, row); err != nil {
		return row, false, grant{}, err
	}
	row.Refresh = t.inForce().sealer.again(refreshOf(a.id), row.Refresh) // before any write below
	fresh, called, err := t.refresh(ctx, a)
	switch {
	case err == nil:
		next := t.renewed(a, row, fresh, dead)
		until := now.Add(max(fresh.life-margin, min(fresh.life/2, spacing)))
		return next, true, grant{token: fresh.access, version: row.Version + 1, until: until, made: true}, nil
	case !called && alive:
		return row, false, last, nil
	case !called:
		return row, false, grant{}, err
	}
	next, err := t.refusedOnce(ctx, a, row, fresh.refused, err)
	if alive {
		// The living token is used up first, whatever the answer said about the next one.
		next.Reason = row.Reason
		return next, true, last, nil
	}
	// The dead token is not stored: with its version counted up it would pass for a new one.
	next.Sealed, next.ExpiresIn = nil, 0
	return next, true, grant{}, err
}

// renewed is the row after a successful refresh; dead says that upstream refused the token before.
func (t *Tokens) renewed(a asked, row pipeline.Token, fresh given, dead bool) pipeline.Token {
	next := pipeline.Token{
		Sealed: t.inForce().sealer.seal(a.id, fresh.access.Reveal()), Refresh: row.Refresh, FellBack: row.FellBack, ExpiresIn: fresh.life,
		Scopes: fresh.scopes,
	}
	if refresh := fresh.refresh.Reveal(); refresh != "" && refresh != a.credential.RefreshToken.Reveal() && !t.refusedBefore(a, row, refresh) {
		next.Refresh, next.FellBack = t.inForce().sealer.seal(refreshOf(a.id), refresh), false
	}
	if dead && row.ExpiresIn > margin {
		next.DiedYoung = row.DiedYoung + 1
	}
	return next
}

// refreshOf names the purpose for which a credential's refresh token is sealed.
func refreshOf(id string) string { return "refresh token of " + id }

// replaced uses the refresh token that upstream sent last instead of the configured one, unless it
// was refused since. If it does not open, that is an error: the configured one may be dead by now.
func (t *Tokens) replaced(a *asked, row pipeline.Token) error {
	if len(row.Refresh) == 0 || row.FellBack {
		return nil
	}
	refresh, err := t.open(refreshOf(a.id), row.Refresh)
	if err != nil {
		return t.tokenError(pipeline.Denied, "upstream replaced the refresh token of "+t.of(a.organization)+
			", and the new one was stored with another key: set that one, or give consent anew", err)
	}
	a.credential.RefreshToken = refresh
	return nil
}

// current opens the stored token. A token that does not open is dropped only when it is dead: until
// then another process with the right key may be using it.
func (t *Tokens) current(a asked, row pipeline.Token) (wire.Secret, pipeline.Token, error) {
	if len(row.Sealed) == 0 {
		return wire.Secret{}, row, nil
	}
	token, err := t.open(a.id, row.Sealed)
	switch {
	case err == nil:
		return token, row, nil
	case row.ExpiresIn <= 0:
		row.Sealed = nil
		return wire.Secret{}, row, nil
	default:
		return wire.Secret{}, row, t.tokenError(pipeline.Denied, t.scrub.Textf(
			"the token of organization %s was stored with another key: set that one, or wait %d min until the token is dead and is replaced",
			a.organization.Key, int(row.ExpiresIn.Minutes())+1), err)
	}
}

// clampLife bounds a token's life to a minute at least and a day at most; it is an hour where
// upstream does not say. Source: docs/upstream.md U27, normally one hour.
func clampLife(seconds int, known bool) time.Duration {
	if !known {
		return time.Hour
	}
	return time.Duration(min(max(seconds, 60), 86_400)) * time.Second
}
