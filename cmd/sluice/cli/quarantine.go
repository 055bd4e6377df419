package cli

import (
	"context"
	"fmt"
	"strconv"
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
	resource, organization, code, since string
}

func (f *quarantineFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.organization, "org", "", "only entries of this organization (id or name)")
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
	if f.organization != "" {
		chosen, err := chooseOrganization(a, f.organization)
		if err != nil {
			return filter, err
		}
		filter.Organization = chosen.Key
	}
	var err error
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
	if c.json {
		return c.printer().Document(entries)
	}
	if len(entries) == 0 {
		return c.printer().Line("Nothing is in quarantine.")
	}
	rows := make([][]string, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		rows = append(rows, []string{
			strconv.FormatInt(e.ID, 10), e.Service + "." + e.Resource, e.Record, e.Code, e.Path, view.Count(e.Seen),
			e.LastSeenAt.In(a.Zone(e.Organization)).Format("2006-01-02 15:04:05"), e.State, e.Detail,
		})
	}
	return c.printer().Table([]string{"ID", "STREAM", "RECORD", "CODE", "FIELD", "SEEN", "LAST SEEN", "STATE", "WHY"}, rows)
}

func (c *cli) quarantineShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one record in quarantine, whole, as it came",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := entryID(args[0])
			if err != nil {
				return err
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *engine.App) error {
				return c.showEntry(ctx, a, id)
			})
		},
	}
}

func entryID(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, usage("%q is no entry number: sluice quarantine list shows them", text)
	}
	return id, nil
}

func (c *cli) showEntry(ctx context.Context, a *engine.App, id int64) error {
	e, err := a.Report.QuarantineShow(ctx, id)
	if err != nil {
		return fmt.Errorf("read entry %d: %w", id, err)
	}
	if c.json {
		return c.printer().Document(wholeOf(e))
	}
	at := func(label, value string) string { return fmt.Sprintf("%-11s %s\n", label, outside.Visible(value)) }
	zone := a.Zone(e.Organization)
	text := at("entry", strconv.FormatInt(e.ID, 10)) +
		at("stream", e.Organization+"/"+e.Service+"."+e.Resource) +
		at("record", e.Record) + at("code", e.Code) + at("field", e.Path) + at("why", e.Detail) +
		at("seen", fmt.Sprintf("%s times, first %s, last %s", view.Count(e.Seen),
			e.FirstSeenAt.In(zone).Format("2006-01-02 15:04:05 MST"), e.LastSeenAt.In(zone).Format("2006-01-02 15:04:05 MST"))) +
		at("call, run", fmt.Sprintf("%d, %d", e.Call, e.Run)) +
		at("state", e.State)
	if e.DecidedAt != nil {
		text += at("decided", strings.TrimSpace(e.DecidedAt.In(zone).Format("2006-01-02 15:04:05 MST")+" "+outside.Visible(e.Note)))
	}
	// What came over the wire must not command the terminal.
	return c.printer().Line("%s\n%s", text, outside.VisibleLines(string(e.Raw)))
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
