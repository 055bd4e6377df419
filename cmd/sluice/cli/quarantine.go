package cli

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/report"
)

func (c *cli) quarantineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "List, show, retry, accept and export records that did not fit",
		Long: `Records that do not fit their declaration are kept whole, with the reason, and the
rest of their page is loaded. Their list is read whole again because of them, and an
entry closes by itself when a version of its record that fits is loaded, or when the
list does not show it any more. If too many were refused at once (quarantine.max_share),
or several had one identifier, their run's mark waits as well.

Retry tries the kept bytes again, after an upgrade for instance: 'sluice quarantine
retry --resource all'. Who does not want a record at all accepts that it stays out.`,
	}
	cmd.AddCommand(c.quarantineList(), c.quarantineShow(), c.quarantineRetry(), c.quarantineAccept(), c.quarantineExport())
	return cmd
}

// quarantineFlags narrow entries on a command line.
type quarantineFlags struct {
	organization          organizationFlag
	resource, code, since string
}

func (f *quarantineFlags) add(cmd *cobra.Command) {
	f.organization.add(cmd)
	cmd.Flags().StringVar(&f.code, "code", "", "only entries with this reason, such as bad_time")
	cmd.Flags().StringVar(&f.since, "since", "", "only entries last seen since then: a day (2026-03-01), an instant (RFC 3339) or how long ago (36h)")
}

// filter is the report's; open entries only, unless all is set.
func (f *quarantineFlags) filter(c *cli, a *engine.App, all bool) (report.QuarantineFilter, error) {
	filter := report.QuarantineFilter{State: "open", Code: f.code}
	if all {
		filter.State = ""
	}
	if f.resource != "" && f.resource != "all" {
		filter.Service, filter.Resource = splitName(f.resource)
	}
	var err error
	if filter.Organization, err = f.organization.key(a); err != nil {
		return filter, err
	}
	filter.Since, err = sinceOf(f.since, c.env.Now(), a.Zone(filter.Organization))
	return filter, err
}

// sinceOf reads an instant: a day begins in the zone.
func sinceOf(text string, now time.Time, zone *time.Location) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, zone); err == nil {
		return day, nil
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	return time.Time{}, usage("--since %q is no day (2026-03-01), no instant (2026-03-01T08:00:00Z) and no time ago (36h)", text)
}

func (c *cli) quarantineList() *cobra.Command {
	var all bool
	var limit int
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:     "list [resource]",
		Short:   "List records in quarantine, newest first",
		Example: "  sluice quarantine list\n  sluice quarantine list inventory.bills --code bad_time --since 24h",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			flags.resource = strings.Join(args, "")
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				filter, err := flags.filter(c, a, all)
				if err != nil {
					return err
				}
				filter.Limit = limit
				return c.listQuarantine(ctx, a, filter)
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "closed entries, too")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many entries")
	return cmd
}

func (c *cli) listQuarantine(ctx context.Context, a *engine.App, filter report.QuarantineFilter) error {
	entries, err := a.Report.Quarantine(ctx, filter)
	if err != nil {
		return fmt.Errorf("read the quarantine: %w", err)
	}
	return c.show(entries, view.Table(entries, "ID  STREAM  RECORD  CODE  FIELD  SEEN  LAST SEEN  STATE  WHY", func(e *report.Entry) view.Row {
		at := view.Instant(&e.LastSeenAt, a.Zone(e.Organization))
		return view.Row{view.ID(e.ID), e.Service + "." + e.Resource, e.Record, e.Code, e.Path, e.Seen, at, e.State, e.Detail}
	}).Or("Nothing is in quarantine."))
}

func (c *cli) quarantineShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one record in quarantine, whole, as it came",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := numbers(args, entryNumber, quarantineLists)
			if err != nil {
				return err
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.showEntry(ctx, a, ids[0])
			})
		},
	}
}

// What the number of an entry is called where it is none, and the command that lists them.
const (
	entryNumber     = "entry number"
	quarantineLists = "quarantine list"
)

func (c *cli) showEntry(ctx context.Context, a *engine.App, id int64) error {
	e, err := a.Report.QuarantineShow(ctx, id)
	if err != nil {
		return fmt.Errorf("read entry %d: %w", id, err)
	}
	return c.show(wholeOf(e), view.Text(func(page *view.Page) {
		field, zone := page.Fields(11), a.Zone(e.Organization) //nolint:mnd // two more than "call, run" takes
		field("entry", "%d", e.ID)
		field("stream", "%s", streamName(true, e.Organization, e.Service, e.Resource))
		field("record", "%s", e.Record)
		field("code", "%s", e.Code)
		field("field", "%s", e.Path)
		field("why", "%s", e.Detail)
		field("seen", "%s times, first %s, last %s", view.Count(e.Seen), view.Second(e.FirstSeenAt, zone), view.Second(e.LastSeenAt, zone))
		field("call, run", "%d, %d", e.Call, e.Run)
		field("state", "%s", e.State)
		if e.DecidedAt != nil {
			field("decided", "%s", strings.TrimSpace(view.Second(*e.DecidedAt, zone)+" "+outside.Visible(e.Note)))
		}
		page.Linef("\n%s", outside.VisibleLines(string(e.Raw))) // what came over the wire must not command the terminal
	}))
}

// wholeEntry is an entry with the record as it came.
type wholeEntry struct {
	report.Entry

	// Raw is the record, byte for byte; where it is no valid UTF-8, RawBase64 has the bytes and Raw shows them as well as it can.
	Raw       string `json:"raw"`
	RawBase64 []byte `json:"raw_base64,omitempty"`
}

func wholeOf(e report.Entry) wholeEntry {
	whole := wholeEntry{Entry: e, Raw: string(e.Raw)}
	if !utf8.Valid(e.Raw) {
		whole.RawBase64 = e.Raw
	}
	return whole
}
