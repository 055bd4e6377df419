package pipeline

import "time"

// Occasion is an event after which it is decided when a stream is due, with the facts for that
// decision. Instants are those of the database's clock. Package planning has the rule, package
// warehouse/streams the facts.
type Occasion struct {
	Event Event
	// Every is the stream's interval.
	Every time.Duration
	// First is the time between the registration of a new stream and its first run.
	First time.Duration
	// Since is when the last run ended or, for Rejected, when the pause of the list's rejected
	// records began; zero if unknown.
	Since time.Time
	// Now is the database's clock.
	Now time.Time
	// The facts of a run that ended. State is the state it leaves the stream in, Until the end of
	// that state. Again is why another run should follow soon. Aside says that the run does not
	// count for the schedule. Requested says that another run was requested meanwhile.
	State     State
	Until     time.Time
	Again     Again
	Aside     bool
	Requested bool
}

// Event is a closed set: the events that can change when a stream is due.
type Event string

// The events.
const (
	// Registered: the stream is new. Reconfigured: the configuration changed what it says of it.
	Registered   Event = "registered"
	Reconfigured Event = "reconfigured"
	// Taken: the tick inserted a job for the stream, because it was due.
	Taken Event = "taken"
	// Requested: an operator or a command requests a run or a backfill. Woken: the event that the
	// stream waited for has happened.
	Requested Event = "requested"
	Woken     Event = "woken"
	// Ended: a run ended.
	Ended Event = "ended"
	// DetailsWanted: rows of the list need their single records.
	DetailsWanted Event = "details wanted"
	// SweepWanted: a look found more than it can tell, or missed rows that a scan has to confirm.
	SweepWanted Event = "sweep wanted"
	// CountAgrees: upstream counts as many records as there are, so none is gone.
	CountAgrees Event = "count agrees"
	// Rejected: records of the list are in quarantine, and upstream may have corrected them by now.
	Rejected Event = "rejected"
	// Hinted: change notifications told of records of the stream, and their pause is over.
	Hinted Event = "hinted"
	// Lapsed: notifications no longer replace scheduled runs of the stream.
	Lapsed Event = "lapsed"
	// Rezoned: upstream now names another time zone for the organization.
	Rezoned Event = "rezoned"
)

// Again is a closed set: why another run should follow sooner than the stream's interval says.
type Again string

// The reasons.
const (
	// AgainNot: the next run follows after the interval.
	AgainNot Again = ""
	// AgainNoParent: the warehouse had no parent whose list could be read.
	AgainNoParent Again = "no parent"
	// AgainWithheld: too many records were rejected, so the watermark did not move.
	AgainWithheld Again = "withheld"
	// AgainMissed: a scan of the whole list, or a look, missed rows for the first time, and another
	// scan has to confirm it.
	AgainMissed Again = "missed"
	// AgainHinted: hints are left, because a run may spend only so many calls on them.
	AgainHinted Again = "hinted"
)

// Due says when a stream is due, relative to the database's clock: After later than Since, or later
// than now where Since is zero, and at NotBefore at the earliest.
type Due struct {
	Bound     Bound
	After     time.Duration
	Since     time.Time
	NotBefore time.Time
	// Spare leaves streams unchanged that are disabled or wait for an instant.
	Spare bool
}

// Bound is a closed set: how a new due time combines with the stream's present one.
type Bound string

// The bounds.
const (
	// Unchanged: the present due time stays.
	Unchanged Bound = ""
	// Exactly: the new due time replaces the present one.
	Exactly Bound = "exactly"
	// Earlier: the earlier of the two counts. Later: the later of the two counts.
	Earlier Bound = "earlier"
	Later   Bound = "later"
)

// DueRule says when a stream is due; planning.Due is the one implementation.
type DueRule func(Occasion) Due
