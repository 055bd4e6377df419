package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse/calls"
	"sluice/pipeline/warehouse/closings"
	"sluice/pipeline/warehouse/history"
	"sluice/pipeline/warehouse/streams"
	"sluice/pipeline/warehouse/streams/backfills"
)

func (c *cli) statusCommand() *cobra.Command {
	var why bool
	cmd := &cobra.Command{
		Use:   "status [--why [resource ...]]",
		Short: "Show the state of every stream, and what the budget has left",
		Long: `Show the state of every stream, and what the budget has left.

With --why, explain each stream, or those of the resources named: how often it runs
and where that comes from (stated or declared), when it is due, what delays it now,
how its list is read and what that follows from, how late records come, and what its
runs are expected to take.`,
		Example: "  sluice status\n  sluice status --why\n  sluice status --why inventory.bills --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && !why {
				return usage("status %s: resources are named behind --why", strings.Join(args, " "))
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				if why {
					return c.statusWhy(ctx, a, args)
				}
				return c.status(ctx, a)
			})
		},
	}
	cmd.Flags().BoolVar(&why, "why", false, "explain how often each stream runs, and what delays it")
	return cmd
}

// statusView is what the status command shows.
type statusView struct {
	Streams []streamView `json:"streams"`
	Budgets []budgetView `json:"budgets"`
	// Backfills are the open ones.
	Backfills []backfillView `json:"backfills"`
	// TokensDiedYoung is how many access tokens in a row upstream refused before their time, for
	// the credential with most of them.
	TokensDiedYoung int `json:"tokens_died_young"`
	// TokensFellBack is how many credentials use the configured refresh token because upstream
	// refused the one that it sent as a replacement.
	TokensFellBack int `json:"tokens_fell_back"`
	// Gates are the allowances that upstream has closed or narrowed for now.
	Gates []calls.Gate `json:"gates"`
	// Histories are the resources that keep versions.
	Histories []history.History `json:"histories"`
	// Closings are the closed periods, with how many records changed each since.
	Closings []closings.Count `json:"closings"`
	// Receivers are those of events.
	Receivers []receiverView `json:"receivers"`
	// LeftOut are the columns that are left out of records or hashed; values of before are not
	// counted.
	LeftOut []engine.LeftOut `json:"left_out"`
}

// streamView is a stream and when it is late.
type streamView struct {
	streams.Status

	// BoundSeconds is the age of the watermark above which the stream is late; zero for streams
	// without a schedule.
	BoundSeconds float64 `json:"bound_seconds,omitempty"`
}

// budgetView is a service's day.
type budgetView struct {
	calls.Budget

	Limit int `json:"limit"`
}

func (c *cli) status(ctx context.Context, a *engine.App) error {
	shown, err := c.statusOf(ctx, a)
	if err != nil {
		return err
	}
	return c.show(shown, shown.text(a, c.env.Now()), closed(a, shown.Gates))
}

func (c *cli) statusOf(ctx context.Context, a *engine.App) (*statusView, error) {
	shown := &statusView{}
	var err error
	if shown.Streams, err = streamViews(ctx, a); err != nil {
		return nil, err
	}
	if shown.Budgets, err = budgets(ctx, a); err != nil {
		return nil, err
	}
	if err = shown.readTroubles(ctx, a); err != nil {
		return nil, err
	}
	if shown.Gates, err = a.DB.Gates(ctx); err != nil {
		return nil, fmt.Errorf("read the gates: %w", err)
	}
	open, err := a.DB.List(ctx, backfills.Filter{Open: true})
	if err != nil {
		return nil, fmt.Errorf("read the backfills: %w", err)
	}
	if shown.Backfills, err = c.views(ctx, a, open); err != nil {
		return nil, err
	}
	if shown.Histories, err = history.Histories(ctx, a.DB.Pool()); err != nil {
		return nil, err
	}
	if shown.LeftOut, err = a.LeftOut(ctx, false); err != nil {
		return nil, err
	}
	return shown, nil
}

// readTroubles reads the troubles that belong to no stream: of tokens, closed periods and
// receivers.
func (shown *statusView) readTroubles(ctx context.Context, a *engine.App) error {
	var err error
	if shown.TokensDiedYoung, err = a.DB.TokensDiedYoung(ctx); err != nil {
		return fmt.Errorf("read the tokens: %w", err)
	}
	if shown.TokensFellBack, err = a.DB.TokensFellBack(ctx); err != nil {
		return fmt.Errorf("read the tokens: %w", err)
	}
	if shown.Closings, err = closings.Counts(ctx, a.DB.Pool()); err != nil {
		return err
	}
	shown.Receivers, err = receiversOf(ctx, a)
	return err
}

// troubles are the sentences about it.
func (shown *statusView) troubles() []string {
	var all []string
	if shown.TokensDiedYoung >= youngAlarm {
		all = append(all, fmt.Sprintf("ALARM: %d access tokens in a row were refused before their time: "+
			"another program may use the same refresh token, give each its own", shown.TokensDiedYoung))
	}
	if shown.TokensFellBack > 0 {
		all = append(all, fmt.Sprintf("upstream refuses the refresh token that it sent in place of the configured one (%s): the configured one is in use",
			view.Plural(shown.TokensFellBack, "credential")))
	}
	for _, closed := range shown.Closings {
		if closed.Records > 0 {
			all = append(all, fmt.Sprintf("%s: the closed period %s changed, by %s: they are in analytics.after_close",
				closed.Organization, closed.Period, view.Plural(int(closed.Records), "record")))
		}
	}
	for i := range shown.Receivers {
		if trouble := shown.Receivers[i].trouble(); trouble != "" {
			all = append(all, trouble)
		}
	}
	return append(all, leftOutSentences(shown.LeftOut)...)
}

func streamViews(ctx context.Context, a *engine.App) ([]streamView, error) {
	stands, err := a.DB.Streams(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the streams: %w", err)
	}
	bound, err := a.Bounds(ctx)
	if err != nil {
		return nil, err
	}
	views := make([]streamView, 0, len(stands))
	for i := range stands {
		s := &stands[i]
		shown := streamView{Status: *s}
		if s.Enabled {
			key := engine.Key{Organization: s.Organization, Service: s.Service, Resource: s.Resource}
			shown.BoundSeconds = bound(key, time.Duration(s.EverySeconds*float64(time.Second))).Seconds()
		}
		views = append(views, shown)
	}
	return views, nil
}

func budgets(ctx context.Context, a *engine.App) ([]budgetView, error) {
	var views []budgetView
	for _, of := range accounts(a.Streams()) {
		limits, err := a.Limits(of.Organization, of.Service)
		if err != nil {
			return nil, err
		}
		budget, err := a.DB.BudgetLeft(ctx, of.Organization, of.Service)
		if err != nil {
			return nil, fmt.Errorf("read the budget: %w", err)
		}
		views = append(views, budgetView{Budget: budget, Limit: limits.Daily})
	}
	return views, nil
}

func (shown *statusView) text(a *engine.App, now time.Time) view.Text {
	return func(page *view.Page) {
		page.Add(view.Table(shown.Streams, headOrganization+"  STREAM  STATE  COMPLETE UP TO  LAST DONE  NEXT  QUARANTINED  REMARK",
			func(v *streamView) view.Row {
				s := &v.Status
				if !s.Enabled || strings.HasSuffix(s.Resource, "."+string(pipeline.WorkBackfill)) {
					return nil // backfills have a table of their own
				}
				return view.Row{
					s.Organization, s.Service + "." + s.Resource, s.State, complete(s, a.Zone(s.Organization)), age(s.LastDoneAt, now),
					next(s, now), s.Quarantined, remark(s, a.Alarm(s), now),
				}
			}))
		if len(shown.Backfills) > 0 {
			page.Linef("")
			page.Add(tableOfBackfills(a, shown.Backfills, now))
		}
		for _, trouble := range shown.troubles() {
			page.Linef("%s", trouble)
		}
		if len(shown.Histories) > 0 {
			page.Linef("")
			page.Add(tableOfHistories(a, shown.Histories))
		}
		for i := range shown.Budgets {
			page.Linef("%s", shown.Budgets[i].line(a))
		}
	}
}

// line is a sentence about a service's day.
func (b *budgetView) line(a *engine.App) string {
	text := fmt.Sprintf("%s %s: %s calls in the last 24 h", b.Organization, b.Service, view.Count(b.Day))
	if b.Limit > 0 {
		text += " of " + view.Count(b.Limit)
	}
	if b.RemainingSeen != nil && b.LimitSeen != nil {
		text += fmt.Sprintf("; upstream says %s of %s are left", view.Count(*b.RemainingSeen), view.Count(*b.LimitSeen))
	}
	if b.ExhaustedUntil != nil {
		text += ", spent until " + view.Minute(*b.ExhaustedUntil, a.Zone(b.Organization)) +
			"; at once: sluice budget reopen " + b.Organization + " " + b.Service
	}
	return text
}

// youngAlarm is how many tokens in a row have to die young before status warns: one may have been
// revoked by hand.
const youngAlarm = 3

func complete(s *streams.Status, zone *time.Location) string {
	switch {
	case s.Watermark == nil:
		return "never"
	case s.WatermarkAhead:
		return "not known"
	default:
		return view.Second(*s.Watermark, zone)
	}
}

func age(at *time.Time, now time.Time) string {
	if at == nil {
		return "never"
	}
	return view.Age(now.Sub(*at)) + " ago"
}

func next(s *streams.Status, now time.Time) string {
	switch {
	case s.State == string(pipeline.StateDenied):
		return "when asked for"
	case s.Until != nil && s.Until.After(now):
		return "in " + view.Age(s.Until.Sub(now))
	case s.Run != nil:
		return "now"
	case s.NextDueAt.After(now):
		return "in " + view.Age(s.NextDueAt.Sub(now))
	default:
		return "due"
	}
}

// remark is the last column: an alarm, the progress over parents, then why the stream does not go
// on, or the note of its last run.
func remark(s *streams.Status, alarm string, now time.Time) string {
	var parts []string
	if alarm != "" {
		parts = append(parts, alarm)
	}
	if s.WatermarkAhead {
		parts = append(parts, fmt.Sprintf("ERROR: the watermark, %s, is ahead of time: sluice sync %s.%s --reset-watermark",
			view.Second(*s.Watermark, time.UTC), s.Service, s.Resource))
	}
	if text := round(s.Parents, now); text != "" {
		parts = append(parts, text)
	}
	if text := backlog(s.Details); text != "" {
		parts = append(parts, text)
	}
	if s.NeedsReview > 0 {
		parts = append(parts, view.Count(s.NeedsReview)+" deletions need review: sluice tombstones review")
	}
	if text := cmp.Or(s.Reason, s.Note); text != "" {
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}

// round is how many parents of its round a stream has read: "20 of 64 parents, oldest 2 d".
func round(parents *streams.ParentRound, now time.Time) string {
	if parents == nil {
		return ""
	}
	text := fmt.Sprintf("%s of %s", view.Count(parents.Read), view.Plural(parents.Parents, "parent"))
	if parents.Oldest != nil {
		text += ", oldest " + view.Age(now.Sub(*parents.Oldest))
	}
	if parents.Failed > 0 {
		text += fmt.Sprintf(", %s failed", view.Count(parents.Failed))
	}
	return text
}

// backlog is how many rows need their single records: "12 details pending, 3 stale".
func backlog(details *streams.DetailBacklog) string {
	if details == nil {
		return ""
	}
	var parts []string
	for _, part := range []struct {
		count int64
		word  string
	}{{details.Pending, "pending"}, {details.Stale, "stale"}, {details.Failed, "failed"}} {
		if part.count > 0 {
			parts = append(parts, view.Count(part.count)+" "+part.word)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "details: " + strings.Join(parts, ", ")
}

// tableOfHistories shows the resources that keep versions.
func tableOfHistories(a *engine.App, histories []history.History) view.Rows {
	return view.Table(histories, headOrganization+"  PAST OF  KNOWN SINCE  VERSIONS  BY DAY", func(h *history.History) view.Row {
		since, count := "", ""
		if h.Versions {
			since, count = "taking in the rows that are there", view.Count(h.Count)
			if h.Since != nil {
				since = view.Instant(h.Since, a.Zone(h.Organization))
			}
			if h.More {
				count += "+"
			}
		}
		return view.Row{h.Organization, h.Service + "." + h.Resource, since, count, strings.Join(h.Daily, ", ")}
	})
}
