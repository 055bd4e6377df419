package certify

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse/certificates"
)

// Outcome is a closed set: how a warehouse compares with a certificate.
type Outcome string

// The outcomes.
const (
	// Same: all is as it was.
	Same Outcome = "same"
	// MovedOn: runs since then account for all differences.
	MovedOn Outcome = "moved on"
	// Tampered: something is different, and no run accounts for it.
	Tampered Outcome = "tampered"
)

// Finding is a difference that no run accounts for.
type Finding struct {
	// Where is a table, or a list.
	Where string `json:"where"`
	// Record is the key, or the number of an entry; empty if it is about neither.
	Record string `json:"record,omitempty"`
	What   string `json:"what"`
}

// Moved is what runs changed in a table since the certificate.
type Moved struct {
	Where   string `json:"where"`
	Records int64  `json:"records"`
	Note    string `json:"note,omitempty"`
}

// Result is the result of a check.
type Result struct {
	Certificate *Certificate `json:"certificate"`
	Outcome     Outcome      `json:"outcome"`
	// Tampered counts all findings; Findings are the first of them.
	Tampered int       `json:"tampered"`
	Findings []Finding `json:"findings"`
	Moved    []Moved   `json:"moved"`
}

// ours is the schema of the tables that say what is open. This package only reads them.
const ours = "sluice."

// maxFindings bounds how many findings are told; all are counted.
const maxFindings = 200

// check is one check under way.
type check struct {
	*Certificate

	view   certificates.View
	result Result
	// single says that the digests of single records are here.
	single bool
}

// Check compares the warehouse with a certificate.
func Check(ctx context.Context, store *certificates.Store, c *Certificate) (Result, error) {
	k := &check{Certificate: c, result: Result{Certificate: c, Outcome: Same, Findings: []Finding{}, Moved: []Moved{}}}
	err := store.Within(ctx, func(view certificates.View) error {
		k.view = view
		return k.all(ctx)
	})
	switch {
	case k.result.Tampered > 0:
		k.result.Outcome = Tampered
	case len(k.result.Moved) > 0:
		k.result.Outcome = MovedOn
	}
	if err != nil {
		return k.result, fmt.Errorf("check certificate %d: %w", c.ID, err)
	}
	return k.result, nil
}

func (k *check) tamperedf(where, record, format string, args ...any) {
	k.result.Tampered++
	if len(k.result.Findings) < maxFindings {
		k.result.Findings = append(k.result.Findings, Finding{Where: where, Record: record, What: fmt.Sprintf(format, args...)})
	}
}

func (k *check) moved(where string, records int64, note string) {
	k.result.Moved = append(k.result.Moved, Moved{Where: where, Records: records, Note: note})
}

func (k *check) all(ctx context.Context) error {
	var err error
	if k.single, err = certificates.KeepsRecords(ctx, k.view, k.ID); err != nil {
		return err
	}
	if err := k.positions(ctx); err != nil {
		return err
	}
	if err := k.entries(ctx); err != nil {
		return err
	}
	for i := range k.Lists {
		if err := k.list(ctx, &k.Lists[i]); err != nil {
			return err
		}
	}
	return nil
}

// positions compares the watermarks. A run leaves the watermark where it says, and never further
// back.
func (k *check) positions(ctx context.Context) error {
	const where = ours + "streams"
	lists, err := certificates.Lists(ctx, k.view, k.Organization)
	if err != nil {
		return err
	}
	now := make(map[string]*time.Time, len(lists))
	for i := range lists {
		now[lists[i].Resource] = lists[i].Watermark
	}
	for i := range k.Lists {
		was, is := k.Lists[i].Watermark, now[k.Lists[i].Resource]
		switch {
		case was == nil && is == nil, was != nil && is != nil && was.Equal(*is):
		case is == nil:
			k.tamperedf(where, k.Lists[i].Resource, "it has no watermark any more")
		case was != nil && is.Before(*was):
			k.tamperedf(where, k.Lists[i].Resource, "the watermark went back from %s to %s", spell(*was), spell(*is))
		default:
			reached, err := certificates.Reached(ctx, k.view, k.Organization, k.Lists[i].Resource, k.Moment, *is)
			if err != nil {
				return err
			}
			if !reached {
				k.tamperedf(where, k.Lists[i].Resource, "the watermark moved to %s, and no run left it there", spell(*is))
				continue
			}
			k.moved(k.Lists[i].Resource, 0, "complete up to "+spell(*is))
		}
	}
	return nil
}

func spell(at time.Time) string { return at.UTC().Format(time.RFC3339Nano) }

// entries compares what was open in quarantine, and the gaps of notifications. An entry that was
// decided says when, and goes a time after that. Gaps are never deleted.
func (k *check) entries(ctx context.Context) error {
	const where = ours + "quarantine"
	ids := make([]int64, len(k.Quarantine))
	for i := range k.Quarantine {
		ids[i] = k.Quarantine[i].ID
	}
	found, err := certificates.Entries(ctx, k.view, k.Organization, ids)
	if err != nil {
		return err
	}
	now := make(map[int64]*certificates.Entry, len(found))
	for i := range found {
		now[found[i].ID] = &found[i]
	}
	forgotten, err := certificates.Forgotten(ctx, k.view, k.QuietBefore)
	if err != nil {
		return err
	}
	decided, gone := int64(0), int64(0)
	for i := range k.Quarantine {
		was, is := &k.Quarantine[i], now[k.Quarantine[i].ID]
		switch {
		case is == nil && forgotten:
			gone++
		case k.entry(was, is) && is.State != "open":
			decided++
		}
	}
	if decided > 0 {
		k.moved(where, decided, "decided since")
	}
	if gone > 0 {
		k.moved(where, gone, "not there any more: entries that were decided since are deleted when they are old")
	}
	return k.gaps(ctx)
}

// entry compares an entry that was open with what it is now, nil if it is gone. It reports whether
// the entry is untouched, or was decided since.
func (k *check) entry(was, is *certificates.Entry) bool {
	const where = ours + "quarantine"
	id := strconv.FormatInt(was.ID, 10)
	switch {
	case is == nil:
		k.tamperedf(where, id, "the open entry about %s %q is gone", was.Resource, was.Record)
	case is.Hash != was.Hash:
		k.tamperedf(where, id, "the bytes of the entry about %s %q are other ones", was.Resource, was.Record)
	case is.State != "open" && (is.DecidedAt == nil || is.DecidedAt.Before(k.QuietBefore)):
		k.tamperedf(where, id, "the entry about %s %q is not open any more, and nothing decided it since", was.Resource, was.Record)
	case (is.Record != was.Record || is.Code != was.Code || is.Path != was.Path || is.Resource != was.Resource) && is.LastSeenAt.Before(k.QuietBefore):
		k.tamperedf(where, id, "the entry about %s %q says something else, and no run met it since", was.Resource, was.Record)
	default:
		return true
	}
	return false
}

func (k *check) gaps(ctx context.Context) error {
	ids := make([]int64, len(k.Gaps))
	for i := range k.Gaps {
		ids[i] = k.Gaps[i].ID
	}
	found, err := certificates.Gaps(ctx, k.view, k.Organization, ids)
	if err != nil {
		return err
	}
	now := make(map[int64]*certificates.Gap, len(found))
	for i := range found {
		now[found[i].ID] = &found[i]
	}
	for i := range k.Gaps {
		was, is := &k.Gaps[i], now[k.Gaps[i].ID]
		switch {
		case is == nil:
			k.tamperedf(ours+"channel_gaps", strconv.FormatInt(was.ID, 10), "the gap since %s is gone", spell(was.OpenedAt))
		case !is.OpenedAt.Equal(was.OpenedAt) || was.ClosedAt != nil && (is.ClosedAt == nil || !is.ClosedAt.Equal(*was.ClosedAt)):
			k.tamperedf(ours+"channel_gaps", strconv.FormatInt(was.ID, 10), "the gap since %s has other times", spell(was.OpenedAt))
		}
	}
	return nil
}

// keyOf takes the name of a list apart.
func (k *check) keyOf(l *List) pipeline.Key {
	service, resource, _ := strings.Cut(l.Resource, ".")
	return pipeline.Key{Organization: k.Organization, Service: service, Resource: resource}
}
