// Package pipeline defines the types that all stages of copying share: streams, what is asked and
// answered, claims, positions, batches, calls, limits and the kinds of errors.
//
// It does nothing, and no type names a resource. The packages below it do the work; imports among
// them run downward: engine, then jobs, planning and lineage, then sync and budget, then upstream
// and warehouse.
//
// Start reading at Stream, Request and Page, then Batch and Position; what is done with them at
// package sync.
package pipeline

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/outside"
	"sluice/schema"
	"sluice/schema/record"
)

// Stream is one resource of one organization: the unit of scheduling, of position and of failure.
type Stream struct {
	// Organization is the key of Org, which tables and jobs hold.
	Organization string
	Org          *Organization
	Service      *schema.Service
	Resource     *schema.Resource
	// Work says which part of the resource the stream copies.
	Work Work
}

// Work is a closed set: what a stream copies of its resource.
type Work string

// The kinds of work.
const (
	// WorkList: the list, as the resource's cursor says.
	WorkList Work = ""
	// WorkDetails: the single records of rows whose list record was a header.
	WorkDetails Work = "details"
	// WorkBackfill: the list again, on demand, beside the scheduled runs.
	WorkBackfill Work = "backfill"
	// WorkSweep: the whole list of a resource that is otherwise read from a watermark.
	WorkSweep Work = "sweep"
)

// String names the stream in messages: 10234695/inventory.bills.
func (s Stream) String() string { return s.Key().String() }

// Class says what kind of work a call is spent on.
type Class string

// The classes of work.
const (
	ClassIncremental Class = "incremental"
	ClassDetails     Class = "details"
	ClassSweep       Class = "sweep"
	ClassProbe       Class = "probe"
)

// Request is one request for records.
type Request struct {
	Stream Stream
	Class  Class
	// Run is the run on whose behalf the call is made, for the call log.
	Run int64
	// Page counts from 1; PerPage is the page size wanted.
	Page, PerPage int
	// Token is what the answer before gave to go on with, where lists go on by token.
	Token string
	// Parent is the identifier of the parent whose list is asked for; "" where the resource has no
	// parents.
	Parent string
	// Since is the lower bound of the modification time; zero asks for all.
	Since time.Time
	// From and To are the first and the last day of a window; zero leaves that end open.
	From, To time.Time
	// Sort is the value of sort_column, Order "A" or "D"; empty asks for neither.
	Sort, Order string
}

// Page is one page of records, as it came.
type Page struct {
	// Call is the number of the call in the call log. Numbers are drawn before the call leaves, so
	// a larger one was asked later.
	Call int64
	// Date is upstream's clock when it answered; zero if it did not say.
	Date time.Time
	// Records are the records' raw bytes in the order of the answer.
	Records [][]byte
	// More says that another page follows; PerPage is the size upstream reported.
	More    bool
	PerPage int
	// Token is what the next page is asked for with, where lists go on by token.
	Token string
	// Sort and Order are what upstream says it sorted by; empty if it did not say.
	Sort, Order string
	// Unknown says that there is no such single record, in upstream's own words.
	Unknown bool
	// Turn is that of a large answer, to be ended when its records are loaded.
	Turn *Turn
}

// RejectedRecord is one record that does not fit, whole, for the quarantine.
type RejectedRecord struct {
	Raw    []byte
	ID     string
	Code   string
	Path   string
	Detail outside.Text
}

// CodeClash is the code of records that came under one identifier in one answer, which does not say
// which of them has it.
const CodeClash = "id_clash"

// Batch is what one transaction writes: records, what could not be loaded, and the position behind
// them (invariant 2).
type Batch struct {
	Claim Claim
	// Call is the call that brought the records; zero if the batch has none.
	Call     int64
	Records  []record.Record
	Rejected []RejectedRecord
	// Received counts the records of the answer, Duplicates those dropped because the same bytes
	// were in the same answer.
	Received, Duplicates int
	// Position is the position after this batch.
	Position Position
	// Details says that the records are single records and not a list's: they complete their rows.
	// Missing are the identifiers that were asked for and that upstream does not know.
	Details bool
	Missing []string
	// Unknown says that upstream said of Missing, in its own words, that there are no such records.
	Unknown bool
	// Observed are verdicts on the list that its answer changed.
	Observed []Verdict
	// Listed says that the records come from a list's answer just now, so that one that should have
	// come earlier was late.
	Listed bool
	// Parent is set by the batch that brings the last of one parent's list.
	Parent *ParentRead
	// End ends the run, nil if it goes on.
	End *End
	// Complete is called inside the transaction, last: it settles the job.
	Complete func(ctx context.Context, tx pgx.Tx) error
	// Turn is that of the answer, which ends when the batch is loaded.
	Turn *Turn
}

// ParentRead says that the list of a parent was read, or why it could not be.
type ParentRead struct {
	ID string
	// Failed, if set, says why its list could not be read to its end, in words.
	Failed outside.Text
}

// End says how a run ended.
type End struct {
	Outcome Outcome
	Note    outside.Text
	// Again is why the stream wants another run sooner than its interval says.
	Again Again
	// Whole, if set, says that the run read the whole list, cleanly: what it did not see is
	// evidence (invariant 7).
	Whole *Whole
	// Entire says that the run read all that the list showed, cleanly: what is in quarantine and
	// was not among it is not upstream any more.
	Entire bool
}

// Whole is a clean scan of a whole list.
type Whole struct {
	// Started is upstream's clock at the first answer of the scan.
	Started time.Time
}

// Outcome is a closed set: how a run ended.
type Outcome string

// The outcomes.
const (
	// OutcomeDone: the stream is complete up to the new watermark.
	OutcomeDone Outcome = "done"
	// OutcomeProvisional: all was read, but the list kept shifting or was suspect: rows are loaded,
	// the watermark did not move, the next run reads again.
	OutcomeProvisional Outcome = "provisional"
	// OutcomeFailed: the run stopped on an error.
	OutcomeFailed Outcome = "failed"
)

// Loaded counts what batches did to the warehouse.
type Loaded struct {
	// Inserted, Updated, Unchanged and Superseded count records; Superseded are older than the
	// stored row.
	Inserted, Updated, Unchanged, Superseded int
	// Rejected are records that the database refused, found by bisection and put into quarantine
	// with the others.
	Rejected int
	// Silent counts those of Updated that changed without a new modification time.
	Silent int
	// Rollbacks counts those of Updated whose modification time went back: upstream was set back.
	Rollbacks int
	// MissingKeys are the declared keys that most records of the list carried so far, and do not
	// from now on.
	MissingKeys []string
}

// Add counts more.
func (l *Loaded) Add(more Loaded) {
	l.Inserted += more.Inserted
	l.Updated += more.Updated
	l.Unchanged += more.Unchanged
	l.Superseded += more.Superseded
	l.Rejected += more.Rejected
	l.Silent += more.Silent
	l.Rollbacks += more.Rollbacks
	l.MissingKeys = append(l.MissingKeys, more.MissingKeys...)
}
