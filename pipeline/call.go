package pipeline

import (
	"time"

	"sluice/pipeline/outside"
)

// Call is one request upstream, as the call log records it.
type Call struct {
	// Organization is the key of Org, which the call log holds.
	Organization string
	Org          *Organization
	Service      string
	// Resource says what the call is for: a resource's name, "organizations" or "token".
	Resource string
	Class    Class
	// Run is the run that spends the call; zero outside of runs.
	Run int64
	// Method and Path name the endpoint, without the query: queries hold secrets.
	Method, Path outside.Text
	// Endpoint is the path as it is declared, below the service's root: "/bills/{id}". Unlike Path,
	// it names no record.
	Endpoint string
	// Page is the requested page; zero for a call without pages.
	Page int
}

// Limits are the limits that apply to a call: the figures of the plan that the configuration chose.
// Zero means no limit.
type Limits struct {
	// Shared names the allowance of the organization against which PerMinute and Concurrent are
	// counted ("suite", "chat").
	Shared string
	// PerMinute is the largest number of calls in any 60 seconds, Concurrent the largest number
	// under way at once, Daily the largest number in a day.
	PerMinute, Concurrent, Daily int
	// ResetZone is the IANA time zone in which a new day begins at ResetHour. If it is empty, the
	// day is the last 24 hours, which is safe wherever upstream begins its day.
	ResetZone string
	ResetHour int
	// Shares divide the day among the classes of work; nil means DefaultShares.
	Shares Shares
}

const (
	// ClassBackfill is the class of backfills: a window or the whole list is read on demand.
	ClassBackfill Class = "backfill"
	// ClassHinted is the class of calls that change notifications cause: what upstream told of is
	// read at once.
	ClassHinted Class = "hinted"
)

// Share is the part of the daily allowance that a class of work gets. Both figures are between 0
// and 1.
type Share struct {
	// Floor is the part reserved for the class. Other classes leave what the class may still need
	// of it, and may spend the rest.
	Floor float64 `json:"floor"`
	// Ceiling is the largest part that the class may spend in a day; zero means all of it.
	Ceiling float64 `json:"ceiling"`
}

// Shares divide a day's calls among classes. A class without an entry has neither floor nor
// ceiling. The floors add up to 1 at most.
type Shares map[Class]Share

// DefaultShares reserve enough calls for hourly lists beside any other work, and a few for probes
// that find out whether upstream answers again and for what upstream tells of. A flood of change
// notifications costs three tenths of the day at most.
func DefaultShares() Shares {
	return Shares{
		ClassIncremental: {Floor: 0.4},
		ClassProbe:       {Floor: 0.02},
		ClassDetails:     {Ceiling: 0.4},
		ClassSweep:       {Ceiling: 0.4},
		ClassBackfill:    {Ceiling: 0.5},
		ClassHinted:      {Floor: 0.05, Ceiling: 0.3},
	}
}

// Classes are all classes of work, in the order in which the call log counts them. A new class
// comes last: a process of an older version passes shorter arrays to the same database.
func Classes() []Class {
	return []Class{ClassIncremental, ClassDetails, ClassSweep, ClassBackfill, ClassProbe, ClassHinted}
}

// Decision is the call log's answer to a reservation.
type Decision struct {
	// Call is the number of the reserved call; zero if it was refused.
	Call int64
	// Refused names the limit that refused the call; "" if the call was granted.
	Refused Refusal
	// Wait is the time until a new attempt makes sense, by the database's clock.
	Wait time.Duration
}

// Refusal is a closed set: the limit that refused a call.
type Refusal string

// The refusals.
const (
	RefusedMinute     Refusal = "minute"
	RefusedConcurrent Refusal = "concurrent"
	RefusedDay        Refusal = "day"
	// RefusedClass: the class has spent its ceiling, or the remaining calls are reserved for other
	// classes.
	RefusedClass Refusal = "class"
	// RefusedClosed: upstream answered code 44, so the gate is closed for all processes.
	RefusedClosed Refusal = "closed"
	// RefusedForgotten: a standby was promoted or a backup restored, so the database may have
	// forgotten calls that upstream still counts.
	RefusedForgotten Refusal = "forgotten"
)

// CallResult is how a call ended.
type CallResult struct {
	// Status is the HTTP status, zero without an answer; Code is the envelope's code.
	Status int
	Code   outside.Text
	// Kind is the kind of the failure; zero for success.
	Kind Kind
	// Detail is a bounded text without secrets.
	Detail outside.Text
	// Bytes of the body and Records in it.
	Bytes   int64
	Records int
	// DayLimit, DayRemaining and DayReset are the daily rate headers; DayLimit is zero if upstream
	// did not send them. Source: docs/upstream.md U48.
	DayLimit, DayRemaining int
	DayReset               time.Duration
	// RetryAfter is the header Retry-After; zero if upstream did not send it.
	RetryAfter time.Duration
}

// Token is the row that stores the access token of a credential for all processes.
type Token struct {
	// Sealed is the encrypted access token; empty if there is none.
	Sealed []byte
	// Refresh is the encrypted refresh token that upstream sent in place of the configured one;
	// empty if it sent none.
	Refresh []byte
	// DiedYoung is how many access tokens in a row upstream refused before they expired.
	DiedYoung int
	// Version grows whenever the stored token is replaced or dropped.
	Version int64
	// ExpiresIn is how long the token is still valid, by the database's clock.
	ExpiresIn time.Duration
	// SinceRefresh is the time since the last attempt; large if there was none.
	SinceRefresh time.Duration
	// Reason says why the credential is denied; "" if it works.
	Reason outside.Text
	// Refusals is how many answers in a row refused to give a token.
	Refusals int
	// Worked says that upstream has already given a token for the credential.
	Worked bool
	// FellBack says that the configured refresh token is in use, because upstream refused the one
	// in Refresh, which it had sent itself.
	FellBack bool
	// Scopes are those that upstream named with the access token; nil if it named none.
	Scopes []string
	// Forgotten says that the token is dropped at an operator's request and without a call. The
	// time of the last attempt then stays as it is.
	Forgotten bool
}
