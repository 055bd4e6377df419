//go:build e2e

package cli

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/sandbox"
)

// oneAnswers are the faults whose single answer once stopped an organization for a day or for ever.
func oneAnswers() []string {
	return []string{"token_denied", "token_slow_down", "token_unknown", "token_unauthorized", "rate_spent", "retry_after"}
}

// oneAnswer is a fixture whose next call to a path goes wrong, once.
func oneAnswer(t *testing.T, kind string, known bool) *faultFixture {
	t.Helper()
	f := &faultFixture{
		fixture: newFixture(t, sandbox.Options{Seed: 93, Records: small, Limits: sandbox.Limits{Off: true}}).narrow(),
		name:    "inventory.bills", short: "bills", path: "/inventory/v1/bills",
	}
	if known { // there was a token, which is dead by now
		f.sync(codeFine, "inventory.items")
		f.pass(2 * time.Hour)
	}
	if strings.HasPrefix(kind, "token_") {
		f.struck = "/oauth/v2/token"
	}
	f.once(kind)
	return f
}

// once lets the next call go wrong.
func (f *faultFixture) once(kind string) {
	f.t.Helper()
	path := f.path
	if f.struck != "" {
		path = f.struck
	}
	must(f.t, f.world.SetFaults([]sandbox.Fault{{Path: path, Kind: kind, Count: 1, Seconds: 86_400}}))
}

// heals syncs without help: only sluice has written to the database.
func (f *faultFixture) heals(after string) {
	f.t.Helper()
	f.comesTo(after, codeFine)
	f.equal(f.name)
}

// TestOneWordOfTheTokenEndpoint: a word that does not say for certain that the credential is dead
// leads to another attempt. Where the endpoint is full, the gate closes for ten minutes, longer than
// a sync waits.
func TestOneWordOfTheTokenEndpoint(t *testing.T) {
	t.Parallel()
	for kind, code := range map[string]int{"token_unknown": codeFine, "token_slow_down": codeBudget, "token_denied": codeBudget} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := oneAnswer(t, kind, false)
			ended := make(chan outcome, 1)
			go func(ctx context.Context) { ended <- f.runContext(ctx, "sync", "--json", f.name) }(t.Context())
			// Its details may wait, too, or may have ended.
			f.until("the stream waits", `SELECT EXISTS (SELECT FROM sluice.streams WHERE resource = 'bills' AND state = 'retrying')
				AND EXISTS (SELECT FROM river.river_job WHERE state = 'scheduled' AND scheduled_at > clock_timestamp() + interval '20 seconds')
				AND NOT EXISTS (SELECT FROM river.river_job WHERE state IN ('available', 'pending', 'running'))`)
			f.pass(2 * time.Minute)
			f.synced(code, <-ended)
			f.pass(11 * time.Minute)
			f.heals("ten minutes later")
		})
	}
}

// TestADeniedCredentialComesBack: a denied credential is tried again a day later, and at once by a
// command, but not by every sync.
func TestADeniedCredentialComesBack(t *testing.T) {
	t.Parallel()
	f := oneAnswer(t, "token_unauthorized", false)
	denied := f.sync(codeFailed, f.name)
	if state, _ := f.stands(); state != pipeline.StateDenied {
		t.Fatalf("the stream is %s", state)
	}
	command := "sluice organizations retry " + sandbox.DefaultOrganizationID
	reason := denied.Streams[0].Reason
	errorIf(t, !strings.Contains(reason, command), "the reason names no command: %s", reason)
	o := f.run("status")
	errorIf(t, !strings.Contains(o.stdout, command), "status names no command:\n%s", o.stdout)
	asked := f.world.Stats().TokenRequests
	f.pass(2 * time.Hour)
	f.sync(codeFailed, f.name)
	same(t, "tokens were asked for within a day", 0, f.world.Stats().TokenRequests-asked)
	f.pass(22 * time.Hour)
	f.heals("a day later")

	f.exec(`TRUNCATE sluice.tokens`) // as new
	f.once("token_unauthorized")
	f.sync(codeFailed, f.name)
	f.pass(time.Minute) // between two tokens
	retried := decoded[retriedView](f.fixture, codeFine, "organizations", "retry", sandbox.DefaultOrganizationID)
	errorIf(t, !retried.Authorized || retried.Streams != 1, "retry says %+v", retried)
	if state, _ := f.stands(); state != pipeline.StateIdle {
		t.Errorf("the stream is %s after retry", state)
	}
	f.heals("after organizations retry")

	// A refusal that is still true is reported, with its own exit code.
	f.exec(`TRUNCATE sluice.tokens`)
	must(t, f.world.SetFaults([]sandbox.Fault{{Path: f.struck, Kind: "token_error"}}))
	f.complains(codeFailed, "invalid_code", "organizations", "retry", sandbox.DefaultOrganizationID)
}

// TestOneAnswerClosesForAnHour: an answer that asks for a day closes the gate for an hour. No sync
// waits for it, and a command opens it.
func TestOneAnswerClosesForAnHour(t *testing.T) {
	t.Parallel()
	for kind, allowance := range map[string]struct{ gate, day string }{"retry_after": {gate: "suite"}, "rate_spent": {day: "inventory"}} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := oneAnswer(t, kind, true)
			suffers := func() {
				t.Helper()
				if kind == "rate_spent" { // the answer itself is good
					f.comesTo(kind, codeFine)
				}
				result := f.sync(codeBudget, f.name)
				waits := result.Streams[0].Until
				errorIf(t, waits == nil || waits.After(time.Now().Add(time.Hour+time.Minute)) || waits.Before(time.Now().Add(30*time.Minute)),
					"it goes on at %v: %+v", waits, result.Streams)
			}
			suffers()
			f.pass(62 * time.Minute)
			f.heals("an hour later")
			f.once(kind)
			suffers()
			f.prints(codeBudget, f.name, "sync", f.name)
			if kind == "retry_after" {
				for _, command := range []string{"status", "budget"} {
					if o := f.run(command); !strings.Contains(o.stdout, "HTTP 429 code 44") || !strings.Contains(o.stdout, "sluice budget reopen "+sandbox.DefaultOrganizationID) {
						t.Errorf("%s does not say what is closed, why and what opens it:\n%s", command, o.stdout)
					}
				}
			}
			f.reopens(allowance.gate, allowance.day)
			f.heals("after budget reopen")
			f.prints(codeFine, "nothing", "budget", "reopen", sandbox.DefaultOrganizationID)
		})
	}
}

// reopens has the operator open what upstream closed: this gate or this day, and no other.
func (f *faultFixture) reopens(gate, day string) {
	f.t.Helper()
	opened := decoded[reopenedView](f.fixture, codeFine, "budget", "reopen", sandbox.DefaultOrganizationID, "inventory")
	got := strings.Join(opened.Gates, " ") + "/" + strings.Join(opened.Days, " ")
	errorIf(f.t, got != gate+"/"+day || opened.Streams != 1, "opened %s, %d streams go on; want %s/%s and 1", got, opened.Streams, gate, day)
}

// TestHostileAnswersDoNotHoldUpTheEnd: SIGTERM ends a process, whatever it is doing.
func TestHostileAnswersDoNotHoldUpTheEnd(t *testing.T) {
	t.Parallel()
	var keys, lines strings.Builder
	for n := range 1_000_000 {
		fmt.Fprintf(&keys, `,"k%d":1`, n)
	}
	for n := range 2_000 {
		fmt.Fprintf(&lines, "%d,title,2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1,1,2\n", n)
	}
	const list, chats = "/inventory/v1/settings/taxes", "/maintenanceapi/v2/chats"
	for _, c := range []struct {
		name, stream, path string
		body               []byte
		endless            bool
	}{
		{"31 MB of small elements", "inventory.taxes", list, taxes(strings.Repeat("{},", 10_300_000)), false},
		{"a record of a million keys", "inventory.taxes", list, taxes(`{"tax_id":"1"` + keys.String() + `}`), false},
		{"an export without an end", "chat.conversations", chats, []byte(lines.String()), true},
	} {
		for _, command := range [][]string{{"sync", c.stream}, {"serve"}} {
			t.Run(c.name+", "+command[0], func(t *testing.T) {
				if c.endless { // the others take much memory
					t.Parallel()
				}
				s := newFixture(t, sandbox.Options{Seed: 73, Records: small, Limits: sandbox.Limits{Off: true}})
				answered := make(chan struct{}, 1)
				defer s.attack(&evil{bodies: map[string][]byte{c.path: c.body}, endless: c.endless, answered: answered})()
				p := s.start(command...)
				s.wait("upstream is asked", answered)
				p.terminate()
				p.ends(map[string]int{"sync": codeFailed, "serve": codeFine}[command[0]], patience)
				if strings.Contains(p.stderr.String(), "panic") {
					t.Error(p.stderr.String())
				}
			})
		}
	}
}
