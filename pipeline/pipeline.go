// Package pipeline defines the types that all stages of copying share: streams, requests and pages,
// claims, positions, batches, calls, limits and the kinds of errors.
//
// It does nothing, and no type names a resource. The packages below it do the work; imports among
// them run downward: engine, then jobs, planning and lineage, then sync and budget, then upstream
// and warehouse.
//
// Start reading at Stream, Request and Page, then Batch and Position. Package sync shows their use.
package pipeline

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/outside"
	"sluice/schema"
	"sluice/schema/record"
	"sluice/schema/redact"
)

// Stream is one resource of one organization: the unit of scheduling, of position and of failure.
type Stream struct {
	// Organization is the key of Org, as tables and jobs store it.
	Organization string
	Org          *Organization
	Service      *schema.Service
	Resource     *schema.Resource
	// Work says which part of the resource the stream copies.
	Work Work
	// LeaveOut leaves columns out of each record before anything else sees it; nil if none are.
	LeaveOut *redact.Redactor
}

// Work is a closed set: what a stream copies of its resource.
type Work string

// The kinds of work.
const (
	// WorkList: the list, as the resource's cursor says.
	WorkList Work = ""
	// WorkDetails: the single records of rows whose list record carried only a part of the values.
	WorkDetails Work = "details"
	// WorkBackfill: the list again, on demand, beside the scheduled runs.
	WorkBackfill Work = "backfill"
	// WorkSweep: the whole list of a resource that is otherwise read from a watermark.
	WorkSweep Work = "sweep"
	// WorkLook: the pages of a swept list that show whether rows are missing, and which.
	WorkLook Work = "look"
	// WorkHinted: single records of which change notifications told that they changed.
	WorkHinted Work = "hinted"
)

// String names the stream in messages: 10234695/inventory.bills.
func (s Stream) String() string { return s.Key().String() }

// Class is the purpose of a call.
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
	// Token is the token of the answer before, where lists go on by token.
	Token string
	// Parent is the identifier of the parent whose list is requested; "" where the resource has no
	// parents.
	Parent string
	// Since is the lower bound of the modification time; zero requests all records.
	Since time.Time
	// From and To are the first and the last day of a window; zero leaves that end open.
	From, To time.Time
	// Sort is the value of sort_column, Order "A" or "D"; empty omits them.
	Sort, Order string
	// Counts asks for the number of records instead of the page, Sums for the sums of columns, too. A
	// service that does not know that answers the page.
	Counts, Sums bool
}

// Page is one page of records, as upstream sent it.
type Page struct {
	// Call is the number of the call in the call log. Numbers are drawn before the call leaves, so
	// a larger number means a later request.
	Call int64
	// Date is upstream's clock when it answered; zero if the answer does not say.
	Date time.Time
	// Records are the records' raw bytes in the order of the answer. LeftOut says that columns are
	// left out of them already, as the stream says.
	Records [][]byte
	LeftOut bool
	// More says that another page follows; PerPage is the size upstream reported.
	More    bool
	PerPage int
	// Token requests the next page, where lists go on by token.
	Token string
	// Sort and Order are the sorting that upstream reports; empty if the answer does not say.
	Sort, Order string
	// Unknown says that upstream answered in its own words that the single record does not exist.
	Unknown bool
	// Counted says that this is no page, but what upstream counts. Took is how long the answer took.
	Counted bool
	Tally   Tally
	Took    time.Duration
	// Turn is the turn of a large answer; it has to be ended when the records are loaded.
	Turn *Turn
}

// RejectedRecord is one record that does not fit the declaration, kept whole for the quarantine.
type RejectedRecord struct {
	Raw    []byte
	ID     string
	Code   string
	Path   string
	Detail outside.Text
}

// CodeClash is the code of different records that have the same identifier in one answer. The
// answer does not say which of them is right.
const CodeClash = "id_clash"

// CodeWithheld is the code of a record of which columns could not be left out, because it is no
// JSON object: a placeholder is kept in its place.
const CodeWithheld = "withheld"

// Batch is what one transaction writes: records, rejected records, and the position after them
// (invariant 2).
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
	// Details says that the records are single records, which complete their rows. Missing are the
	// requested identifiers that upstream does not know.
	Details bool
	Missing []string
	// Unknown says that upstream answered in its own words that the records of Missing do not
	// exist.
	Unknown bool
	// Observed are the verdicts on the list that this answer changed.
	Observed []Verdict
	// Listed says that the records come from a list that was just read. Only such records can show
	// lateness.
	Listed bool
	// Parent is set in the last batch of one parent's list.
	Parent *ParentRead
	// Count, beside End, is upstream's count of the list, from before the run read it.
	Count *Count
	// End ends the run; nil if the run goes on.
	End *End
	// Complete is called last inside the transaction and completes the job.
	Complete func(ctx context.Context, tx pgx.Tx) error
	// Turn is the turn of the answer; it ends when the batch is loaded.
	Turn *Turn
}

// ParentRead says that the list of a parent was read, or why it could not be.
type ParentRead struct {
	ID string
	// Failed says in words why the list could not be read to its end; "" if it was.
	Failed outside.Text
	// Whole says that the run was shown all records of the parent, or that upstream does not know
	// the parent: it has none then. Rows of the parent that the run was not shown are missing.
	Whole bool
}

// End says how a run ended.
type End struct {
	Outcome Outcome
	Note    outside.Text
	// Proof says how the run knows that it saw all it was to read; "" if it does not.
	Proof Proof
	// Again is why another run should follow sooner than the interval says.
	Again Again
	// Whole, if set, says that the run read the whole list cleanly. A row that it did not see is
	// then evidence of a deletion (invariant 7).
	Whole *Whole
	// Absent, if set, are rows that a look did not find. They are asked for by their identifiers,
	// and nothing else is concluded from them (invariant 7).
	Absent *Absent
	// Sweep says that a look found more than it can tell: the whole list should be read soon.
	Sweep bool
	// Entire says that the run read all that the list showed, cleanly. A rejected record that was
	// not among it no longer exists upstream.
	Entire bool
}

// Proof is a closed set: how a run knows that no record of its list escaped it
// (docs/decisions/0007-paging-by-number).
type Proof string

// The proofs.
const (
	// ProofOnePage: one answer is one state of the list.
	ProofOnePage Proof = "one page"
	// ProofOverlap: each page showed a record of the page before.
	ProofOverlap Proof = "overlapping pages"
	// ProofKeyset: each page began at the modification time of the last record before it.
	ProofKeyset Proof = "keyset paging"
	// ProofPasses: two passes with other page edges saw the same records.
	ProofPasses Proof = "two equal passes"
	// ProofBody: the body of the export came to its end.
	ProofBody Proof = "whole body"
	// ProofCount: the records read are as many as upstream had counted before
	// (docs/decisions/0037-totals).
	ProofCount Proof = "count"
)

// Whole is a clean scan of a whole list, or of the whole lists of some parents.
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
	// OutcomeProvisional: the whole list was read, but it kept shifting or was suspect. The rows
	// are loaded, the watermark did not move, and the next run reads again.
	OutcomeProvisional Outcome = "provisional"
	// OutcomeFailed: the run stopped on an error.
	OutcomeFailed Outcome = "failed"
)

// Loaded counts what batches did to the warehouse.
type Loaded struct {
	// Inserted, Updated, Unchanged and Superseded count records; Superseded are older than the
	// stored row.
	Inserted, Updated, Unchanged, Superseded int
	// Rejected counts records that the database refused. The loader finds them by bisection and
	// puts them into quarantine.
	Rejected int
	// Silent counts those of Updated that changed without a new modification time.
	Silent int
	// Rollbacks counts those of Updated whose modification time went back: upstream restored an
	// older state.
	Rollbacks int
	// MissingKeys are the declared keys that most records of the list carried before and no longer
	// carry.
	MissingKeys []string
}

// Add adds the counts of another batch.
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
