package pipeline

import "time"

// Occasion is one at which it is decided when a stream is due, with the facts that decide. Instants
// are of the database's clock. Package planning has the rule, package streams of the warehouse the
// facts.
type Occasion struct {
	Event Event
	// Every is the stream's interval: the learned one, or the one of the configuration.
	Every time.Duration
	// First is how long after it is registered a new stream is first due.
	First time.Duration
	// Since is when the last run ended, or since when rejected records wait; zero if that is
	// unknown.
	Since time.Time
	// Now is the database's clock.
	Now time.Time
	// Idle says that no run of the stream is open or waited for.
	Idle bool
	// The facts of a run that ended: the state it leaves, until when that lasts, whether it asked
	// for little time, whether it serves the schedule at all, and whether another run was requested
	// meanwhile.
	State     State
	Until     time.Time
	Again     Again
	Aside     bool
	Requested bool
}

// Event is a closed set: what makes it a question when a stream is due.
type Event string

// The events.
const (
	// Registered: the stream is new. Reconfigured: its interval or its bounds are other ones.
	Registered   Event = "registered"
	Reconfigured Event = "reconfigured"
	// Taken: a job was made of it, because it was due.
	Taken Event = "taken"
	// Requested: a person or a command asks for a run, or for a backfill. Woken: what it waited for
	// has happened.
	Requested Event = "requested"
	Woken     Event = "woken"
	// Ended: a run ended.
	Ended Event = "ended"
	// Learned: its interval was worked out anew.
	Learned Event = "learned"
	// DetailsWanted: rows of the list wait for their single records.
	DetailsWanted Event = "details wanted"
	// Rejected: records of the list are in quarantine, and may be good by now.
	Rejected Event = "rejected"
	// Rezoned: upstream names another time zone for the organization.
	Rezoned Event = "rezoned"
)

// Again is a closed set: why a run wants to be followed by another one sooner than its stream's
// interval says.
type Again string

// The reasons.
const (
	// AgainNot: it does not.
	AgainNot Again = ""
	// AgainNoParent: no parent was known whose list could be read.
	AgainNoParent Again = "no parent"
	// AgainWithheld: too much was refused, and the watermark waits.
	AgainWithheld Again = "withheld"
	// AgainMissed: a whole list did not show rows for the first time, and a second one confirms it.
	AgainMissed Again = "missed"
)

// Due is when a stream is due, in a form that the database's clock completes: After from Since, or
// from now where Since is zero, and not before NotBefore.
type Due struct {
	Bound     Bound
	After     time.Duration
	Since     time.Time
	NotBefore time.Time
	// Spare leaves streams alone that are disabled or wait for an instant.
	Spare bool
}

// Bound is a closed set: what becomes of when the stream was due so far.
type Bound string

// The bounds.
const (
	// Unchanged: it is due when it was.
	Unchanged Bound = ""
	// Exactly: what was is forgotten.
	Exactly Bound = "exactly"
	// Earlier: it is due then at the latest. Later: it is due then at the earliest.
	Earlier Bound = "earlier"
	Later   Bound = "later"
)

// DueRule says when a stream is due: planning.Due.
type DueRule func(Occasion) Due
