package upstream_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
)

// consentOffice is an authorization server that gives the answers it is told, and then tokens.
type consentOffice struct {
	mu sync.Mutex
	// says are the bodies of the next answers.
	says []string
	// refuses are the refresh tokens that it does not accept; gives is the refresh token that it
	// adds to its answers.
	refuses map[string]bool
	gives   string
	granted int
	asked   []string
}

func (o *consentOffice) tell(says ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.says = says
}

// ServeHTTP implements http.Handler.
func (o *consentOffice) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	refresh := q.URL.Query().Get("refresh_token")
	o.asked = append(o.asked, refresh)
	switch {
	case len(o.says) > 0:
		said := o.says[0]
		o.says = o.says[1:]
		answer(200, jsonType, said)(w, q)
	case o.refuses[refresh]:
		answer(200, jsonType, says("invalid_code"))(w, q)
	default:
		o.granted++
		more := ""
		if o.gives != "" {
			more = `,"refresh_token":"` + o.gives + `"`
		}
		answer(200, jsonType, fmt.Sprintf(`{"access_token":"%s%d","expires_in":3600%s}`, canaryToken, o.granted, more))(w, q)
	}
}

func says(word string) string { return `{"error":"` + word + `"}` }

// only gives the one row of the store.
func (r *tokenFixture) only(t *testing.T) pipeline.Token {
	t.Helper()
	r.store.lock.Lock()
	defer r.store.lock.Unlock()
	for _, row := range r.store.rows {
		return row
	}
	t.Fatal("no credential is known")
	return pipeline.Token{}
}

// ask asks for a token as another process does.
func (r *tokenFixture) ask(t *testing.T) error {
	t.Helper()
	_, _, err := r.process(t).Token(t.Context(), one)
	return err // the test checks it
}

// TestOnlyKnownWordsDeny: only words of the authorization server that are known to mean it deny a
// credential. After other words the caller waits, and the next answer counts.
func TestOnlyKnownWordsDeny(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]struct{ denies, locks bool }{
		// RFC 6749, section 5.2, and the documents.
		"invalid_request": {denies: true}, "invalid_client": {denies: true}, "invalid_grant": {denies: true}, "unauthorized_client": {denies: true},
		"unsupported_grant_type": {denies: true}, "invalid_scope": {denies: true}, "invalid_code": {denies: true}, "invalid_client_secret": {denies: true},
		// Too many requests, in the documents' word and in other words.
		"Access Denied": {locks: true}, "slow_down": {locks: true}, "rate_limit_exceeded": {locks: true}, "too_many_requests": {locks: true},
		// Failures of the server, and unknown words.
		"server_error": {}, "temporarily_unavailable": {}, "Internal Server Error": {}, "access_denied": {}, "authorization_pending": {}, "oops": {}, "": {},
	} {
		t.Run(word, func(t *testing.T) {
			o := &consentOffice{says: []string{says(word)}}
			r := newTokenFixture(t, o.ServeHTTP)
			err := r.ask(t)
			if want.denies {
				r.mustFail(t, err, pipeline.Denied)
				return
			}
			r.mustFail(t, err, pipeline.Unavailable)
			check.ErrorIf(t, r.gate.left[0].Kind == pipeline.Throttled && r.gate.left[0].RetryAfter == 10*time.Minute != want.locks,
				"the gate was told %+v", r.gate.left[0])
			r.advance(time.Minute)
			err = r.ask(t)
			check.ErrorIf(t, err != nil, "a minute later: %v", err)
			row := r.only(t)
			check.ErrorIf(t, row.Refusals != 0 || row.Reason != "", "a credential that works is kept as %+v", row)
		})
	}
}

// TestAnUnknownWordDeniesAfterHours: an unknown word that repeats denies the credential after
// hours. Until then it costs few requests, of all processes together.
func TestAnUnknownWordDeniesAfterHours(t *testing.T) {
	o := &consentOffice{says: slices.Repeat([]string{says("oops")}, 100)}
	r := newTokenFixture(t, o.ServeHTTP)
	var asked []int
	deniedAt := -1
	for minute := range 20 * 60 {
		before := len(r.seen())
		err := r.ask(t)
		if len(r.seen()) > before {
			asked = append(asked, minute)
		}
		switch kind := pipeline.KindOf(err); {
		case kind == pipeline.Denied && deniedAt < 0:
			deniedAt = minute
		case kind != pipeline.Denied && deniedAt >= 0, kind != pipeline.Denied && kind != pipeline.Unavailable:
			t.Fatalf("minute %d: %v", minute, err)
		}
		r.advance(time.Minute)
	}
	if got := fmt.Sprint(asked); got != "[0 1 6 21 81 201]" || deniedAt != 201 {
		t.Errorf("asked in minutes %s, denied in %d; want [0 1 6 21 81 201] and 201", got, deniedAt)
	}
	o.tell()
	r.advance(8 * time.Hour)
	err := r.ask(t)
	check.ErrorIf(t, err != nil, "a day later, when upstream is well: %v", err)
}

// worked is a credential that has brought a token once, and the server that answers the next
// requests.
func worked(t *testing.T) (*consentOffice, *tokenFixture) {
	t.Helper()
	o := &consentOffice{}
	r := newTokenFixture(t, o.ServeHTTP)
	check.Must(t, r.ask(t))
	return o, r
}

// TestOneRefusalOfACredentialThatWorkedProvesNothing: of a credential that worked, the first
// refusal proves nothing and the second does.
func TestOneRefusalOfACredentialThatWorkedProvesNothing(t *testing.T) {
	o, r := worked(t)
	// While the old token lives it is used, whatever the server says about the next one.
	r.advance(56 * time.Minute)
	o.tell(says("invalid_code"))
	err := r.ask(t)
	check.FatalIf(t, err != nil || len(r.seen()) != 2, "a living token is not used: %v after %d requests", err, len(r.seen()))
	r.advance(10 * time.Minute)
	check.Must(t, r.ask(t))
	// One false answer.
	r.advance(2 * time.Hour)
	o.tell(says("invalid_code"))
	failure := r.mustFail(t, r.ask(t), pipeline.Unavailable)
	check.Same(t, "asked again in", time.Minute, failure.Until.Sub(r.now()))
	r.mustFail(t, r.ask(t), pipeline.Unavailable)
	r.advance(time.Minute)
	err = r.ask(t)
	check.FatalIf(t, err != nil, "after one lie: %v", err)
	// Two true answers.
	r.advance(2 * time.Hour)
	o.tell(says("invalid_code"), says("invalid_code"))
	r.mustFail(t, r.ask(t), pipeline.Unavailable)
	r.advance(time.Minute)
	r.mustFail(t, r.ask(t), pipeline.Denied)
	check.Same(t, "requests", 7, len(r.seen()))
}

// TestABogusRefreshTokenGivesWay: a refresh token that came with an answer and is refused later is
// replaced by the configured one.
func TestABogusRefreshTokenGivesWay(t *testing.T) {
	const bogus, good = "1000.canary-bogus", "1000.canary-good"
	o := &consentOffice{gives: bogus, refuses: map[string]bool{bogus: true}}
	r := newTokenFixture(t, o.ServeHTTP)
	check.Must(t, r.ask(t))
	r.advance(2 * time.Hour)
	r.mustFail(t, r.ask(t), pipeline.Unavailable)
	r.advance(time.Minute)
	err := r.ask(t)
	check.FatalIf(t, err != nil, "with the configured one: %v", err)
	// It is not tried a second time, however often the server sends it.
	for range 3 {
		r.advance(2 * time.Hour)
		err := r.ask(t)
		check.FatalIf(t, err != nil, "later: %v", err)
	}
	want := []string{canaryRefresh, bogus, canaryRefresh, canaryRefresh, canaryRefresh, canaryRefresh}
	check.ErrorIf(t, !slices.Equal(o.asked, want), "asked with %v, want %v", o.asked, want)
	row := r.only(t)
	check.ErrorIf(t, !row.FellBack, "the row does not say so: %+v", row)
	// Another refresh token is tried, and kept because it works.
	o.mu.Lock()
	o.gives = good
	o.mu.Unlock()
	for range 2 {
		r.advance(2 * time.Hour)
		check.Must(t, r.ask(t))
	}
	last := o.asked[len(o.asked)-1]
	check.ErrorIf(t, last != good || r.only(t).FellBack, "asked with %s, %+v", last, r.only(t))
}

// TestALieAboutAReplacedRefreshToken: a server replaces refresh tokens and once refuses the valid
// one. That locks no organization out: the refused token is tried again.
func TestALieAboutAReplacedRefreshToken(t *testing.T) {
	server := &rotating{valid: canaryRefresh}
	var mu sync.Mutex
	lies := 0
	r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if lies > 0 {
			lies--
			answer(200, jsonType, says("invalid_code"))(w, q)
			return
		}
		server.ServeHTTP(w, q)
	})
	err := r.ask(t)
	check.Must(t, err)
	r.advance(2 * time.Hour)
	mu.Lock()
	lies = 1
	mu.Unlock()
	for range 10 {
		if err = r.ask(t); err == nil {
			break
		}
		r.mustFail(t, err, pipeline.Unavailable)
		r.advance(time.Minute)
	}
	if err != nil || len(r.seen()) != 4 { // one token; the false refusal, the configured token, which is dead, and the valid one again
		t.Errorf("%v after %d requests", err, len(r.seen()))
	}
}

// TestForgetAsksAgain: after Forget the next token is requested whatever was refused, at least a
// minute after the request before.
func TestForgetAsksAgain(t *testing.T) {
	o := &consentOffice{says: []string{says("invalid_client")}}
	r := newTokenFixture(t, o.ServeHTTP)
	r.mustFail(t, r.ask(t), pipeline.Denied)
	r.advance(20 * time.Second)
	check.Must(t, r.process(t).Forget(t.Context(), one))
	failure := r.mustFail(t, r.ask(t), pipeline.Unavailable)
	check.ErrorIf(t, failure.Until.Sub(r.now()) != 40*time.Second, "asked again in %v", failure.Until.Sub(r.now()))
	r.advance(40 * time.Second)
	err := r.ask(t)
	check.ErrorIf(t, err != nil, "after Forget: %v", err)
}

// TestAFailureOfTheServerDeniesForNoOtherDay: a denied credential is used once a day. If the server
// fails at that moment, that is no answer: the next request follows soon, not a day later.
func TestAFailureOfTheServerDeniesForNoOtherDay(t *testing.T) {
	t.Parallel()
	for _, word := range []string{"server_error", "slow_down"} {
		t.Run(word, func(t *testing.T) {
			o := &consentOffice{says: []string{says("invalid_client")}}
			r := newTokenFixture(t, o.ServeHTTP)
			r.mustFail(t, r.ask(t), pipeline.Denied)
			r.advance(23 * time.Hour)
			o.tell(says(word))
			r.mustFail(t, r.ask(t), pipeline.Unavailable)
			r.advance(time.Minute)
			err := r.ask(t)
			check.ErrorIf(t, err != nil, "a minute later, when upstream is well: %v", err)
		})
	}
}

// TestBothRefreshTokensAreTried: if both refresh tokens are refused, the third refusal denies. An
// unknown word does not count against the token in use before the third.
func TestBothRefreshTokensAreTried(t *testing.T) {
	t.Parallel()
	const newer = "1000.canary-newer"
	for name, tc := range map[string]struct {
		word  string
		waits []time.Duration
		want  []string
		last  pipeline.Kind
	}{
		"known": {
			"invalid_code", []time.Duration{0, time.Minute, 5 * time.Minute}, []string{newer, canaryRefresh, newer}, pipeline.Denied,
		},
		"unknown": {
			"oops", []time.Duration{0, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 2 * time.Hour},
			[]string{newer, newer, newer, canaryRefresh, newer, canaryRefresh}, pipeline.Denied,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := &consentOffice{gives: newer}
			r := newTokenFixture(t, o.ServeHTTP)
			check.Must(t, r.ask(t))
			r.advance(2 * time.Hour)
			o.tell(slices.Repeat([]string{says(tc.word)}, 10)...)
			for i, wait := range tc.waits {
				r.advance(wait)
				want := pipeline.Unavailable
				if i == len(tc.waits)-1 {
					want = tc.last
				}
				r.mustFail(t, r.ask(t), want)
			}
			check.ErrorIf(t, !slices.Equal(o.asked[1:], tc.want), "asked with %v, want %v", o.asked[1:], tc.want)
		})
	}
}

// TestALivingTokenIsUsedUp: a living token is used up, whatever the server says about the next one
// and how often. Asking costs one request for all processes.
func TestALivingTokenIsUsedUp(t *testing.T) {
	o, r := worked(t)
	r.advance(56 * time.Minute)
	o.tell(says("invalid_code"), says("invalid_code"), says("invalid_code"))
	for minute := range 3 {
		for range 3 { // processes
			err := r.ask(t)
			check.FatalIf(t, err != nil, "minute %d: %v", minute, err)
		}
		if asked, want := len(r.seen()), min(2+minute, 3); asked != want { // five minutes follow the second refusal
			t.Errorf("minute %d: %d requests, want %d", minute, asked, want)
		}
		r.advance(time.Minute)
	}
}

// TestADeadTokenIsGivenToNoProcess: a token that upstream refused is given to no process any more,
// also if there is no new one.
func TestADeadTokenIsGivenToNoProcess(t *testing.T) {
	o, r := worked(t)
	r.advance(2 * time.Minute)
	o.tell(says("server_error"))
	_, err := r.process(t).Renew(t.Context(), one, 1)
	r.mustFail(t, err, pipeline.Unavailable)
	r.mustFail(t, r.ask(t), pipeline.Unavailable)
}
