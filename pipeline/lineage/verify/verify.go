// Package verify checks a warehouse against itself and against upstream. Without a call it runs the
// checks that must find nothing, and compares a sample of rows with their raw records. Then it
// compares rows with records of upstream, within a given number of calls.
//
// It changes rows in one case only: it loads a record from quarantine whose present version fits.
// If a record of upstream differs from its row because it changed after the stream's watermark,
// that is no finding: the next run brings it (docs/decisions/0015-raw-records).
//
// Start reading at Run, then subject.hold.
package verify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/lineage/compare"
	"sluice/pipeline/sync"
	"sluice/pipeline/warehouse/verifications"
	"sluice/schema/record"
)

// Options say what to verify.
type Options struct {
	// Streams are the lists to verify.
	Streams []pipeline.Stream
	// Lacking are findings about lists whose tables are not as declared; Streams has none of these
	// lists.
	Lacking []verifications.Finding
	// Scope narrows the checks; Words is the scope as the command line gives it.
	Scope verifications.Scope
	Words string
	// Calls is the largest number of calls in all. Sample is how many rows of each resource are
	// compared with their raw records; zero means all.
	Calls, Sample int
	// Source may be nil if Calls is zero.
	Source sync.Source
	// Load loads records that are in quarantine and of which a call has just brought a version that
	// fits.
	Load  func(ctx context.Context, stream pipeline.Stream, unit pipeline.Batch) error
	Store *verifications.Store
	Rules pipeline.Rules
}

// Result is the result of a verification.
type Result struct {
	Verification verifications.Verification `json:"verification"`
	Checks       []verifications.Check      `json:"checks"`
	Streams      []verifications.Verified   `json:"streams"`
	Findings     []verifications.Finding    `json:"findings"`
}

// run is one verification under way.
type run struct {
	Options

	result   Result
	subjects []*subject
	// refused, unreachable and failed say why the verification is incomplete.
	refused, unreachable, failed bool
}

// Run verifies and stores the findings. Its error says that the warehouse could not be read or
// written. If upstream refused a call or did not answer, the outcome says so.
func Run(ctx context.Context, o Options) (Result, error) {
	verification, err := o.Store.Begin(ctx, o.Words, o.Calls)
	if err != nil {
		return Result{}, err
	}
	r := &run{Options: o, result: Result{Verification: verification, Findings: []verifications.Finding{}}}
	err = r.look(ctx)
	if err != nil {
		r.failed = true
		r.result.Verification.Note = err.Error()
	}
	r.sum()
	keep, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepLimit)
	defer cancel()
	if kept := o.Store.End(keep, &r.result.Verification, r.result.Streams, r.result.Findings); err == nil {
		err = kept
	}
	return r.result, err
}

// keepLimit bounds the last write, also when the command was stopped.
const keepLimit = 30 * time.Second

func (r *run) look(ctx context.Context) error {
	var err error
	if r.result.Checks, err = r.Store.Checks(ctx, r.Scope); err != nil {
		return err
	}
	r.result.Findings = append(r.result.Findings, r.Lacking...)
	for i := range r.result.Checks {
		r.result.Findings = append(r.result.Findings, r.result.Checks[i].Findings...)
	}
	for _, stream := range r.Streams {
		normalizer, err := record.New(stream.Resource, stream.Org.Zone())
		if err != nil {
			return fmt.Errorf("prepare %s: %w", stream, err)
		}
		s := &subject{
			run: r, stream: stream, normalize: normalizer.RecordUnder, table: compare.New(stream, compare.LeavingOut(stream, normalizer.RecordUnder)),
			looked: map[string]bool{}, edited: map[string]bool{}, told: map[string]bool{}, requested: map[string]bool{}, pages: map[int]bool{},
			clashing: map[string]bool{},
			verified: verifications.Verified{Organization: stream.Organization, Service: stream.Service.Name, Resource: stream.Resource.Name},
		}
		r.subjects = append(r.subjects, s)
		if err := s.local(ctx); err != nil {
			return err
		}
	}
	return r.upstream(ctx)
}

// upstream spends the calls in rounds. Each round makes one call for each resource, beginning with
// the resource whose last verification is oldest.
func (r *run) upstream(ctx context.Context) error {
	if r.Calls == 0 {
		return nil
	}
	last, err := r.Store.LastVerified(ctx)
	if err != nil {
		return err
	}
	order := slices.Clone(r.subjects)
	slices.SortStableFunc(order, func(a, b *subject) int { return cmp.Compare(last[a.stream.Key()], last[b.stream.Key()]) })
	// Single records and further pages alternate, so only two rounds without a call show that there
	// is nothing left to request.
	for round, idle := 0, 0; idle < 2; round++ {
		idle++
		for _, s := range order {
			if r.result.Verification.Calls >= r.Calls {
				return nil
			}
			asked, err := s.request(ctx, round)
			if err != nil {
				return err
			}
			if asked {
				idle = 0
			}
		}
	}
	return nil
}

// sum adds up the counts and sets the outcome.
func (r *run) sum() {
	v := &r.result.Verification
	v.Checks = len(r.result.Checks)
	v.Violations += int64(len(r.Lacking))
	for i := range r.result.Checks {
		if c := &r.result.Checks[i]; c.Severity == verifications.Violation {
			v.Violations += c.Found
		} else {
			v.Notices += c.Found
		}
	}
	for _, s := range r.subjects {
		v.Rows, v.Records, v.NotDue = v.Rows+s.verified.Rows, v.Records+s.verified.Records, v.NotDue+s.verified.NotDue
		v.Violations, v.Notices = v.Violations+s.verified.Violations, v.Notices+s.verified.Notices
		r.result.Streams = append(r.result.Streams, s.verified)
	}
	switch {
	case v.Violations > 0:
		v.Outcome = verifications.OutcomeFound
	case r.failed:
		v.Outcome = verifications.OutcomeFailed
	case r.unreachable:
		v.Outcome = verifications.OutcomeUnreachable
	case r.refused:
		v.Outcome = verifications.OutcomeBudget
	default:
		v.Outcome = verifications.OutcomeClean
	}
}
