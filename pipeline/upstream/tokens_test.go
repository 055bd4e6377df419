package upstream_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/upstream/token"
	"sluice/pipeline/upstream/wire"
)

// fakeStore is one row for each credential, locked like a row, with its own clock.
type fakeStore struct {
	lock      sync.Mutex
	rows      map[string]pipeline.Token
	expires   map[string]time.Time
	attempted map[string]time.Time
	clock     func() time.Time
	asked     int
	err       error
}

func (s *fakeStore) WithToken(ctx context.Context, credential string, fn func(context.Context, pipeline.Token) (pipeline.Token, bool, error)) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.asked++
	if s.err != nil {
		return s.err
	}
	row := s.rows[credential]
	row.ExpiresIn = s.expires[credential].Sub(s.clock())
	row.SinceRefresh = 1000 * time.Hour
	if at, ok := s.attempted[credential]; ok {
		row.SinceRefresh = s.clock().Sub(at)
	}
	next, store, err := fn(ctx, row)
	if store {
		other := !bytes.Equal(next.Sealed, row.Sealed)
		next.Version, next.Worked = row.Version, row.Worked || other && len(next.Sealed) > 0
		if other {
			next.Version++
			s.expires[credential] = s.clock().Add(next.ExpiresIn)
		}
		if !next.Forgotten {
			s.attempted[credential] = s.clock()
		}
		next.Forgotten = false
		s.rows[credential] = next
	}
	return err
}

// tokenFixture is an authorization server and several processes that ask it for tokens.
type tokenFixture struct {
	*fixture
	store *fakeStore
	mu    sync.Mutex
	at    time.Time
	key   []byte
	old   [][]byte
	creds token.Credential
}

func (r *tokenFixture) now() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

func (r *tokenFixture) advance(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = r.at.Add(d)
}

func newTokenFixture(t *testing.T, handler http.HandlerFunc) *tokenFixture {
	t.Helper()
	t.Parallel()
	return makeTokenFixture(t, handler)
}

func makeTokenFixture(t *testing.T, handler http.HandlerFunc) *tokenFixture {
	t.Helper()
	r := &tokenFixture{
		fixture: makeFixture(t, handler), at: noon, key: bytes.Repeat([]byte{7}, 32),
		creds: token.Credential{
			ClientID: "1000.CLIENT", ClientSecret: wire.NewSecret(canarySecret), RefreshToken: wire.NewSecret(canaryRefresh),
		},
	}
	r.store = &fakeStore{
		rows: map[string]pipeline.Token{}, expires: map[string]time.Time{}, attempted: map[string]time.Time{}, clock: r.now,
	}
	return r
}

// process is one more process: its own Tokens on the same store.
func (r *tokenFixture) process(t *testing.T) *token.Tokens {
	t.Helper()
	return check.Sure(token.New(token.Options{
		Vendor: wire.Vendor{Name: "Svc", Auth: r.server.URL}, Store: r.store, Key: r.key, OldKeys: r.old, Gate: r.gate, Now: r.now,
		Credentials: map[string]token.Credential{one.Key: r.creds, home.Key: r.creds, "eu": r.creds},
	}))(t)
}

// granting answers with a new token each time.
func granting(life string) http.HandlerFunc {
	var mu sync.Mutex
	n := 0
	return func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		n++
		token := canaryToken + strings.Repeat("x", n)
		mu.Unlock()
		answer(200, jsonType, `{"access_token":"`+token+`","token_type":"Bearer","api_domain":"https://api.example","scope":"a b"`+life+`}`)(w, q)
	}
}

func TestTokenRequest(t *testing.T) {
	r := newTokenFixture(t, granting(`,"expires_in":3600`))
	r.creds.RedirectURI, r.creds.Scope = "https://me.example/back", "SvcBooks.bills.READ,SvcChat.Channels.READ"
	token, version, err := r.process(t).Token(t.Context(), one)
	check.FatalIf(t, err != nil || token.Reveal() != canaryToken+"x" || version != 1, "Token = %s, %d, %v", token.Reveal(), version, err)
	got := r.seen()[0]
	want := map[string][]string{
		"refresh_token": {canaryRefresh}, "client_id": {"1000.CLIENT"}, "client_secret": {canarySecret}, "grant_type": {"refresh_token"},
		"redirect_uri": {"https://me.example/back"}, "scope": {"SvcBooks.bills.READ,SvcChat.Channels.READ"},
	}
	check.Same(t, "", want, map[string][]string(got.URL.Query()))
	check.ErrorIf(t, got.Method != http.MethodPost || got.URL.Path != "/oauth/v2/token" || got.Header.Get("Authorization") != "",
		"request %s %s %v", got.Method, got.URL.Path, got.Header)
	wantCall := pipeline.Call{
		Organization: "1", Service: "auth", Resource: "token", Class: pipeline.ClassProbe, Method: "POST", Path: "/oauth/v2/token",
		Endpoint: "/oauth/v2/token",
	}
	check.Same(t, "", []pipeline.Call{wantCall}, r.gate.entered)
	for _, row := range r.store.rows {
		check.ErrorIf(t, bytes.Contains(row.Sealed, []byte("canary")) || len(row.Sealed) == 0, "the token is stored as %q", row.Sealed)
	}
}

// TestOneRefreshForTheFleet: each version takes one refresh, however many workers and processes ask
// (faults A2).
func TestOneRefreshForTheFleet(t *testing.T) {
	const processes, callers = 4, 50
	var wait, begun sync.WaitGroup
	grant := granting(`,"expires_in":3600`)
	r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
		begun.Wait() // the first token is given after all callers have asked
		grant(w, q)
	})
	begun.Add(processes * callers)
	for range processes {
		process := r.process(t)
		for range callers {
			wait.Go(func() {
				begun.Done()
				token, _, err := process.Token(t.Context(), one)
				check.ErrorIf(t, err != nil || token.Reveal() != canaryToken+"x", "Token = %s, %v", token.Reveal(), err)
			})
		}
	}
	wait.Wait()
	check.ErrorIf(t, len(r.seen()) != 1 || r.store.asked != processes,
		"%d refreshes and %d looks at the store, want 1 and %d", len(r.seen()), r.store.asked, processes)
	// All callers find the token dead: one renews it, the others take the new token.
	r.advance(2 * time.Minute)
	var made atomic.Int64
	begun.Add(processes * callers)
	for range processes {
		process := r.process(t)
		for range callers {
			wait.Go(func() {
				begun.Done()
				renewed, err := process.Renew(t.Context(), one, 1)
				check.ErrorIf(t, err != nil || renewed.Token.Reveal() != canaryToken+"xx" || renewed.Version != 2,
					"Renew = %s, %d, %v", renewed.Token.Reveal(), renewed.Version, err)
				if renewed.Made {
					made.Add(1)
				}
			})
		}
	}
	wait.Wait()
	check.ErrorIf(t, len(r.seen()) != 2 || made.Load() != 1,
		"%d refreshes, want 2; %d callers made the token, want 1", len(r.seen()), made.Load())
}

func TestATokenIsRenewedBeforeItsEnd(t *testing.T) {
	t.Parallel()
	for life, seconds := range map[string]int{
		`,"expires_in":3600`: 3600, `,"expires_in":"3600"`: 3600, ``: 3600, `,"expires_in":"soon"`: 3600, `,"expires_in":900000`: 86_400,
	} {
		t.Run(life, func(t *testing.T) {
			r := newTokenFixture(t, granting(life))
			process := r.process(t)
			step := func(want int) {
				t.Helper()
				if _, version, err := process.Token(t.Context(), one); err != nil || version != int64(want) || len(r.seen()) != want {
					t.Fatalf("version %d, error %v, %d refreshes; want %d", version, err, len(r.seen()), want)
				}
			}
			step(1)
			r.advance(time.Duration(seconds)*time.Second - 5*time.Minute - time.Second)
			step(1)
			r.advance(2 * time.Second)
			step(2)
		})
	}
}

// TestShortLivesAreSpaced: tokens live for a minute. There is never more than one refresh a minute,
// and never a dead token.
func TestShortLivesAreSpaced(t *testing.T) {
	r := newTokenFixture(t, granting(`,"expires_in":1`)) // clamped to 60 s
	process := r.process(t)
	for range 120 {
		if _, _, err := process.Token(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		r.advance(time.Second)
	}
	check.Same(t, "refreshes in two minutes", 2, len(r.seen()))
}

func TestAFreshTokenThatIsRefusedIsNotRenewed(t *testing.T) {
	r := newTokenFixture(t, granting(`,"expires_in":3600`))
	process := r.process(t)
	if _, _, err := process.Token(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	r.advance(59 * time.Second)
	_, err := process.Renew(t.Context(), one, 1)
	failure := r.mustFail(t, err, pipeline.Unavailable)
	if wait := failure.Until.Sub(r.now()); !strings.Contains(string(failure.Detail), "59 s old") || wait != time.Second {
		t.Errorf("detail %q, to be tried again in %v", failure.Detail, wait)
	}
	r.advance(time.Second)
	renewed, err := process.Renew(t.Context(), one, 1)
	check.ErrorIf(t, err != nil || renewed.Version != 2 || !renewed.Made, "Renew = %+v, %v", renewed, err)
}

func TestTokenAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		kind    pipeline.Kind
		says    string
		until   time.Duration
	}{
		"invalid_code":      {answer(200, jsonType, `{"error":"invalid_code"}`), pipeline.Denied, "revoked", 0},
		"invalid_client":    {answer(200, jsonType, `{"error":"invalid_client"}`), pipeline.Denied, "client_id", 0},
		"error and a token": {answer(200, jsonType, `{"error":"odd","access_token":"`+canaryToken+`"}`), pipeline.Unavailable, "(odd)", 0},
		"error echoes":      {answer(200, jsonType, `{"error":"bad `+canaryRefresh+`"}`), pipeline.Unavailable, "[redacted]", 0},
		"error an object":   {answer(200, jsonType, `{"error":{"a":1}}`), pipeline.Unavailable, "refuses", 0},
		"400 an error":      {answer(400, jsonType, `{"error":"invalid_client_secret"}`), pipeline.Denied, "client_secret", 0},
		"401":               {answer(401, jsonType, `{}`), pipeline.Unavailable, "refuses", 0},
		"too many":          {answer(400, jsonType, `{"error":"Access Denied","status":"failure"}`), pipeline.Unavailable, "too many", 10 * time.Minute},
		"too many with 200": {answer(200, jsonType, `{"error":"Access Denied"}`), pipeline.Unavailable, "too many", 10 * time.Minute},
		"429":               {answer(429, "", "", "Retry-After", "30"), pipeline.Unavailable, "too many", 30 * time.Second},
		"server_error":      {answer(200, jsonType, `{"error":"server_error"}`), pipeline.Unavailable, "failed", 0},
		"503":               {answer(503, "text/html", canarySecret), pipeline.Unavailable, "failed", 0},
		"no token":          {answer(200, jsonType, `{"token_type":"Bearer","refresh_token":"`+canaryRefresh+`"}`), pipeline.Unexpected, "no usable", 0},
		"an empty token":    {answer(200, jsonType, `{"access_token":""}`), pipeline.Unexpected, "no usable", 0},
		"a token of lines":  {answer(200, jsonType, `{"access_token":"a\r\nb"}`), pipeline.Unexpected, "no usable", 0},
		"a page":            {answer(200, "text/html", "<html>"+canaryRefresh), pipeline.Unexpected, "not a token answer", 0},
		"404":               {answer(404, jsonType, `{}`), pipeline.Unexpected, "do not describe", 0},
		"a redirect":        {answer(302, "", "", "Location", "http://evil.example/?x="+canarySecret), pipeline.Unexpected, "evil.example", 0},
		"cut":               {answer(200, jsonType, `{"access_token":"`+canaryToken), pipeline.Unavailable, "cut off", 0},
		"hung up":           {raw(""), pipeline.Unavailable, "without an answer", 0},
		"too large":         {answer(200, jsonType, strings.Repeat(" ", 70<<10)), pipeline.Unexpected, "more than", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTokenFixture(t, tc.handler)
			_, _, err := r.process(t).Token(t.Context(), one)
			failure := r.mustFail(t, err, tc.kind)
			check.ErrorIf(t, !strings.Contains(err.Error(), tc.says), "error %q does not say %q", err, tc.says)
			if tc.until != 0 {
				check.ErrorIf(t, !failure.Until.Equal(noon.Add(tc.until)), "until %v", failure.Until)
				// The gate is told, so that it closes for all processes.
				got := r.gate.left[0]
				check.ErrorIf(t, got.Kind != pipeline.Throttled || got.RetryAfter != tc.until, "the gate was told %+v", got)
			}
			// A second call makes no request at once, in this process or another.
			_, _, again := r.process(t).Token(t.Context(), one)
			check.Same(t, "requests", 1, len(r.seen()))
			want := pipeline.Unavailable
			if tc.kind == pipeline.Denied {
				want = pipeline.Denied
			}
			r.mustFail(t, again, want)
		})
	}
}

func TestADeniedCredentialIsAskedAboutOnceADay(t *testing.T) {
	var mu sync.Mutex
	good := false
	r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if good {
			granting("")(w, q)
			return
		}
		answer(200, jsonType, `{"error":"invalid_code"}`)(w, q)
	})
	process := r.process(t)
	for day := range 3 {
		for range 23 {
			_, _, err := process.Token(t.Context(), one)
			failure := r.mustFail(t, err, pipeline.Denied)
			check.ErrorIf(t, !strings.Contains(string(failure.Detail), "sluice organizations retry 1"), "the error names no command: %v", err)
			r.advance(time.Hour)
		}
		check.ErrorIf(t, len(r.seen()) != day+1, "%d requests by day %d, want one a day", len(r.seen()), day)
	}
	mu.Lock()
	good = true
	mu.Unlock()
	check.Must(t, process.Forget(t.Context(), one))
	r.advance(time.Minute)
	_, _, err := process.Token(t.Context(), one)
	check.ErrorIf(t, err != nil, "after Forget: %v", err)
	r.creds.RefreshToken = wire.NewSecret(canaryRefresh + "2")
	_, _, err = r.process(t).Token(t.Context(), one)
	check.ErrorIf(t, err != nil, "with a new credential: %v", err)
	check.Same(t, "rows, want one for each credential", 2, len(r.store.rows))
}

// TestALivingTokenOutlastsAFailedRefresh: while a token lives, a server that cannot renew it stops
// no caller.
func TestALivingTokenOutlastsAFailedRefresh(t *testing.T) {
	var mu sync.Mutex
	down := false
	r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if down {
			answer(503, "", "")(w, q)
			return
		}
		granting(`,"expires_in":3600`)(w, q)
	})
	process := r.process(t)
	if _, _, err := process.Token(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	down = true
	mu.Unlock()
	r.advance(56 * time.Minute)
	for range 10 {
		_, version, err := process.Token(t.Context(), one)
		check.FatalIf(t, err != nil || version != 1, "Token = %d, %v", version, err)
	}
	check.Same(t, "requests", 2, len(r.seen()))
	r.advance(5 * time.Minute)
	_, _, err := process.Token(t.Context(), one)
	r.mustFail(t, err, pipeline.Unavailable)
}

func TestARefusedCallForATokenLeavesTheRowAlone(t *testing.T) {
	r := newTokenFixture(t, granting(""))
	r.gate.refuse = &pipeline.Error{Kind: pipeline.Throttled, Until: noon.Add(time.Minute)}
	process := r.process(t)
	_, _, err := process.Token(t.Context(), one)
	r.mustFail(t, err, pipeline.Throttled)
	r.gate.refuse = nil
	if _, _, err = process.Token(t.Context(), one); err != nil {
		t.Errorf("the row was not left alone: %v", err)
	}
}

func TestAnotherKeyDoesNotOpenAndDoesNotOverwrite(t *testing.T) {
	r := newTokenFixture(t, granting(`,"expires_in":3600`))
	check.Must(t, r.ask(t))
	right := r.key
	for _, b := range []byte{8, 9, 10, 11} {
		r.key = bytes.Repeat([]byte{b}, 32)
		failure := r.mustFail(t, r.ask(t), pipeline.Denied)
		check.ErrorIf(t, !strings.Contains(failure.Error(), "SLUICE_ENCRYPTION_KEY does not open the stored token"), "error %q", failure)
	}
	r.key = right
	if _, version, err := r.process(t).Token(t.Context(), one); err != nil || version != 1 || len(r.seen()) != 1 {
		t.Errorf("with the right key again: version %d, %v, %d refreshes", version, err, len(r.seen()))
	}
	// A dead token is no loss, whichever key sealed it.
	r.advance(61 * time.Minute)
	r.key = bytes.Repeat([]byte{8}, 32)
	if _, version, err := r.process(t).Token(t.Context(), one); err != nil || version != 2 || len(r.seen()) != 2 {
		t.Errorf("with another key, after the token died: version %d, %v, %d refreshes", version, err, len(r.seen()))
	}
	// A row of another credential, and a changed byte, do not open either.
	for id, row := range r.store.rows {
		row.Sealed = append([]byte(nil), row.Sealed...)
		row.Sealed[len(row.Sealed)-1] ^= 1
		r.store.rows[id] = row
	}
	r.mustFail(t, r.ask(t), pipeline.Denied)
	r.key = []byte("short")
	_, err := token.New(token.Options{
		Vendor: wire.Vendor{Auth: "https://x.com"}, Store: r.store, Key: r.key, Gate: r.gate, Now: r.now,
		Credentials: map[string]token.Credential{one.Key: r.creds},
	})
	check.ErrorIf(t, err == nil || strings.Contains(err.Error(), "short"), "a short key: %v", err)
}

func TestASealedTokenBelongsToItsCredential(t *testing.T) {
	r := newTokenFixture(t, granting(`,"expires_in":3600`))
	check.Must(t, r.ask(t))
	var sealed pipeline.Token
	for _, row := range r.store.rows {
		sealed = row
	}
	r.creds.ClientID = "1000.OTHER"
	check.Must(t, r.ask(t))
	for id := range r.store.rows {
		r.store.rows[id] = sealed
	}
	r.mustFail(t, r.ask(t), pipeline.Denied)
}

func TestTokenTroubleAtHome(t *testing.T) {
	r := newTokenFixture(t, granting(""))
	process := r.process(t)
	_, _, err := process.Token(t.Context(), &pipeline.Organization{Key: "stranger"})
	r.mustFail(t, err, pipeline.Denied)
	r.mustFail(t, process.Forget(t.Context(), &pipeline.Organization{Key: "stranger"}), pipeline.Denied)
	r.creds.DataCenter = "moon"
	r.mustFail(t, r.ask(t), pipeline.Denied)
	r.creds.DataCenter = ""
	down := errors.New("no connection")
	r.store.err = down
	_, _, err = process.Token(t.Context(), one)
	if r.mustFail(t, err, pipeline.Unavailable); !errors.Is(err, down) {
		t.Errorf("error %v", err)
	}
	r.mustFail(t, process.Forget(t.Context(), one), pipeline.Unavailable)
	check.Same(t, "requests", 0, len(r.seen()))
}

func TestWaitingForATokenHonoursTheContext(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	r := newTokenFixture(t, func(w http.ResponseWriter, q *http.Request) {
		close(arrived)
		<-release
		granting("")(w, q)
	})
	process := r.process(t)
	first := make(chan error)
	go func() {
		_, _, err := process.Token(t.Context(), one)
		first <- err
	}()
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := process.Token(ctx, one)
	check.ErrorIf(t, pipeline.KindOf(err) != pipeline.Unavailable || !errors.Is(err, context.Canceled),
		"Token = %v, want a cancelled wait", err)
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
}
