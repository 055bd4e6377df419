package token

import (
	"context"
	"errors"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/outside"
)

// refusal is what an answer without a token says about the credential.
type refusal int

const (
	// notRefused: the answer says nothing about it. The server failed, or gave an answer that no
	// document describes.
	notRefused refusal = iota
	// refusedKnown: the credential is not accepted, in a word of RFC 6749, section 5.2, or of the
	// documents.
	refusedKnown
	// refusedUnknown: the credential is not accepted, in an unknown word or without any.
	refusedUnknown
)

// deniedFor is how long a denied credential is not used: one request a day finds out whether
// upstream accepts it again. It is an hour less than a day, so that a run which starts once a day
// does not miss it by seconds.
const deniedFor = 23 * time.Hour

// pauses are the least times between refusals in a row and the next request. A refusal in an
// unknown word denies the credential after the last pause: after six requests in three hours and
// twenty minutes. That outlasts a faulty release or a maintenance of the authorization server.
func pauses() []time.Duration {
	return []time.Duration{spacing, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour}
}

// pauseOf is the least time between the last request and the next one.
func pauseOf(row pipeline.Token) time.Duration {
	if row.Refusals == 0 {
		return spacing
	}
	return pauses()[min(row.Refusals, len(pauses()))-1]
}

// denies says whether one more refusal denies the credential. A known word denies at once only a
// credential that never worked, where it is a mistake in the configuration. Of a credential that
// worked, a single answer may be wrong. Where upstream has sent a refresh token of its own, both
// that one and the configured one are tried, and the first of them once more.
func denies(row pipeline.Token, word refusal) bool {
	refusals := row.Refusals + 1
	switch {
	case row.Reason != "":
		return true
	case word == refusedUnknown:
		return refusals > len(pauses())
	case len(row.Refresh) > 0:
		return refusals >= 3 //nolint:mnd // the first, the other, the first again
	case row.Worked:
		return refusals >= 2 //nolint:mnd // the second refusal
	default:
		return true
	}
}

// refusedOnce notes an answer without a token in the row, and says in the error what happens next.
func (t *Tokens) refusedOnce(ctx context.Context, a asked, row pipeline.Token, word refusal, cause error) (pipeline.Token, error) {
	next := row
	failure, ok := errors.AsType[*pipeline.Error](cause)
	if word == notRefused || !ok {
		next.Reason = "" // a failure of the server must not deny the credential for another day
		return next, cause
	}
	next.Refusals++
	t.tell()
	if denies(row, word) {
		next.Reason = failure.Detail
	}
	// An unknown word may have nothing to do with the refresh token, so the other token is tried
	// only after it repeats.
	if len(row.Refresh) > 0 && (word == refusedKnown || next.Refusals > 2) {
		next.FellBack = !row.FellBack
		t.tellOfTurns(ctx, a, next.FellBack)
	}
	if next.Reason != "" {
		return next, t.denied(a, failure.Detail)
	}
	again := *failure
	again.Kind, again.Until = pipeline.Unavailable, t.now().Add(pauseOf(next))
	again.Detail += "; one answer proves nothing, so it is asked again in " + minutes(pauseOf(next)) + " (refusal " + outside.Number(next.Refusals) +
		" in a row), or at once: " + t.command(a)
	return next, &again
}

// tellOfTurns logs which refresh token is used next.
func (t *Tokens) tellOfTurns(ctx context.Context, a asked, configured bool) {
	if t.log == nil {
		return
	}
	which := "the one that upstream sent last"
	if configured {
		which = "the configured one"
	}
	t.log.WarnContext(ctx, "a refresh token was refused: the next request is made with another", "organization", a.organization.Key, "next", which)
}

// refusedBefore says that a refresh token is the one that upstream sent before and then refused.
func (t *Tokens) refusedBefore(a asked, row pipeline.Token, refresh string) bool {
	if !row.FellBack {
		return false
	}
	before, err := t.open(refreshOf(a.id), row.Refresh)
	return err == nil && before.Reveal() == refresh
}

// denied gives the error which says that the operator has to act, and how to go on then.
func (t *Tokens) denied(a asked, reason outside.Text) error {
	t.tell()
	return t.tokenError(pipeline.Denied, t.of(a.organization)+" has to be authorized anew: "+reason+
		"; it is asked again a day later, or at once: "+t.command(a), nil)
}

// command is the command that asks at once.
func (t *Tokens) command(a asked) outside.Text {
	return t.scrub.Textf("sluice organizations retry %s", a.organization.Key)
}

// tooSoon says why there is no refresh this soon after the last one, and when the next may be. A
// token refused soon after a refresh is not the problem.
func (t *Tokens) tooSoon(a asked, row pipeline.Token, left time.Duration, dead bool, now time.Time) error {
	var detail outside.Text = "the last refresh failed a moment ago"
	switch {
	case row.Refusals > 0:
		detail = "the authorization server has refused a token, " + outside.Number(row.Refusals) + " times in a row: it is asked again in " +
			minutes(left) + ", or at once: " + t.command(a)
	case dead:
		detail = "upstream refuses an access token that is " + outside.Number(int(row.SinceRefresh.Seconds())) + " s old"
	}
	e := t.tokenError(pipeline.Unavailable, detail, nil)
	e.Until = now.Add(left)
	return e
}

// minutes shows a pause, rounded up.
func minutes(d time.Duration) outside.Text {
	return outside.Number(int((d+time.Minute-1)/time.Minute)) + " min"
}
