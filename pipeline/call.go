package pipeline

import (
	"time"

	"sluice/pipeline/outside"
)

// Call is one request upstream, as the call log has it.
type Call struct {
	// Organization is the key of Org, which the call log holds.
	Organization string
	Org          *Organization
	Service      string
	// Resource is what the call is for: a resource's name, "organizations" or "token".
	Resource string
	Class    Class
	// Run is the run it is spent on; zero outside of runs.
	Run int64
	// Method and Path name the endpoint, without the query: queries hold secrets.
	Method, Path outside.Text
	// Page is the page asked for; zero where there are none.
	Page int
}

// Limits are what a call is held against: the plan's figures after the configuration's choice. Zero
// means not limited.
type Limits struct {
	// Shared names the allowance within the organization that minute and concurrency are counted
	// against ("suite", "chat").
	Shared string
	// PerMinute is the most calls in any 60 seconds, Concurrent the most under way at once, Daily
	// the most in a day.
	PerMinute, Concurrent, Daily int
	// ResetZone is the IANA time zone in which the day turns at ResetHour. If it is empty the day
	// is the last 24 hours, which satisfies every possible turn.
	ResetZone string
	ResetHour int
	// Shares divide the day among the classes of work; nil means DefaultShares.
	Shares Shares
}

// ClassBackfill is reading what lies far back, on demand.
const ClassBackfill Class = "backfill"

// Share is what a class of work gets of the daily allowance, as parts of it between 0 and 1.
type Share struct {
	// Floor is kept for the class: while the class keeps to it, no other class can spend what it
	// may still need. What it will not need any more is lent to the others.
	Floor float64 `json:"floor"`
	// Ceiling is the most that the class spends in a day; zero means all of it.
	Ceiling float64 `json:"ceiling"`
}

// Shares divide a day among classes. A class that is not named has neither floor nor ceiling.
// Floors add up to 1 at most.
type Shares map[Class]Share

// DefaultShares keep hourly lists going whatever else is under way, and leave a call for finding
// out whether upstream answers again.
func DefaultShares() Shares {
	return Shares{
		ClassIncremental: {Floor: 0.4},
		ClassProbe:       {Floor: 0.02},
		ClassDetails:     {Ceiling: 0.4},
		ClassSweep:       {Ceiling: 0.4},
		ClassBackfill:    {Ceiling: 0.5},
	}
}

// Classes are all classes of work, in the order in which the call log counts them.
func Classes() []Class {
	return []Class{ClassIncremental, ClassDetails, ClassSweep, ClassBackfill, ClassProbe}
}

// Decision is what the call log says to a reservation.
type Decision struct {
	// Call is the number of the reserved call; zero if it was refused.
	Call int64
	// Refused says which limit refused, "" if none did.
	Refused Refusal
	// Wait is how long until it makes sense to ask again, by the database's clock.
	Wait time.Duration
}

// Refusal is a closed set: the limit that refused a call.
type Refusal string

// The refusals.
const (
	RefusedMinute     Refusal = "minute"
	RefusedConcurrent Refusal = "concurrent"
	RefusedDay        Refusal = "day"
	// RefusedClass: the class has spent its ceiling, or what is left is kept for others.
	RefusedClass Refusal = "class"
	// RefusedClosed: upstream said 44, the gate is closed for all processes.
	RefusedClosed Refusal = "closed"
)

// CallResult is how a call ended.
type CallResult struct {
	// Status is the HTTP status, zero if no answer came; Code the envelope's code.
	Status int
	Code   outside.Text
	// Kind is the kind of the failure, zero if it went well.
	Kind Kind
	// Detail is a bounded text without secrets.
	Detail outside.Text
	// Bytes of the body and Records in it.
	Bytes   int64
	Records int
	// DayLimit, DayRemaining and DayReset are the daily rate headers; DayLimit is zero if they were
	// not sent. Source: docs/upstream.md U48.
	DayLimit, DayRemaining int
	DayReset               time.Duration
	// RetryAfter is the header of that name, zero if not sent.
	RetryAfter time.Duration
	// Arrived is how long before its end the call had reached upstream, at least; zero if that is
	// not known.
	Arrived time.Duration
}

// Token is the row that holds an access token for all processes.
type Token struct {
	// Sealed is the encrypted access token; empty if there is none.
	Sealed []byte
	// Refresh is the encrypted refresh token that upstream sent in place of the configured one;
	// empty if it sent none.
	Refresh []byte
	// DiedYoung is how many access tokens in a row were refused before their time.
	DiedYoung int
	// Version grows with every token that comes or goes.
	Version int64
	// ExpiresIn is the life left by the database's clock.
	ExpiresIn time.Duration
	// SinceRefresh is the time since the last attempt; large if there was none.
	SinceRefresh time.Duration
	// Reason says why the credential is denied; "" if it works.
	Reason outside.Text
	// Refusals is how many answers in a row refused a token.
	Refusals int
	// Worked says that the credential has brought a token before.
	Worked bool
	// FellBack says that the configured refresh token is in use although upstream sent another,
	// kept in Refresh, and refused it later.
	FellBack bool
	// Forgotten, of what is to be stored, says that a person asked for it and no call was made: the
	// time of the last attempt stands.
	Forgotten bool
}
