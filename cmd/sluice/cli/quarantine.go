package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/outside"
	"sluice/pipeline/warehouse/quarantine"
)

func (c *cli) quarantineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "Sum up, list, show, retry and accept records that did not fit",
		Long: `Records that do not fit their declaration are kept whole, with the reason, and the
rest of their page is loaded. Their list is read whole again because of them, and an
entry closes by itself when a version of its record that fits is loaded, or when the
list does not show it any more. If too many were refused at once (quarantine.max_share),
or several had one identifier, their run's watermark waits as well.

Retry tries the kept bytes again, after an upgrade for instance: 'sluice quarantine
retry --resource all'. Accept decides that a record stays out of the warehouse.`,
	}
	cmd.AddCommand(c.quarantineCauses(), c.quarantineList(), c.quarantineShow(), c.quarantineRetry(), c.quarantineAccept())
	return cmd
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
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			flags.resource = strings.Join(args, "")
			filter, err := flags.filter(c, a, all)
			if err != nil {
				return err
			}
			filter.Limit = limit
			entries, err := entriesOf(ctx, a, filter)
			if err != nil {
				return err
			}
			const head = "ID  STREAM  RECORD  CODE  FIELD  SEEN  LAST SEEN  STATE  WHY"
			return c.show(entries, view.Table(entries, head, func(e *quarantine.Entry) view.Row {
				at := view.Instant(&e.LastSeenAt, a.Zone(e.Organization))
				return view.Row{view.ID(e.ID), e.Service + "." + e.Resource, e.Record, e.Code, e.Path, e.Seen, at, e.State, e.Detail}
			}).Or("Nothing is in quarantine."))
		}),
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&all, "all", false, "closed entries, too")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many entries")
	return cmd
}

func entriesOf(ctx context.Context, a *engine.App, filter quarantine.Filter) ([]quarantine.Entry, error) {
	entries, err := a.DB.Quarantine(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("read the quarantine: %w", err)
	}
	return entries, nil
}

func (c *cli) quarantineShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one record in quarantine, whole, as it came",
		Args:  cobra.ExactArgs(1),
		RunE:  c.numberedWork(entryNumber, quarantineLists, c.showEntry),
	}
}

func (c *cli) showEntry(ctx context.Context, a *engine.App, ids []int64) error {
	e, err := entryOf(ctx, a, ids[0])
	if err != nil {
		return err
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
		page.Linef("\n%s", outside.VisibleLines(string(e.Raw))) // text from the wire must not control the terminal
	}))
}

func entryOf(ctx context.Context, a *engine.App, id int64) (quarantine.Entry, error) {
	e, err := a.DB.QuarantineShow(ctx, id)
	if err != nil {
		return e, fmt.Errorf("read entry %d: %w", id, err)
	}
	return e, nil
}

// mostCauses bounds how many causes are listed. There are few: a resource has some columns.
const mostCauses = 500

func (c *cli) quarantineCauses() *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:   "causes [resource]",
		Short: "Sum up why records are in quarantine: new causes first, then the largest",
		Long: `Sum up open entries by what they have in common: the list, the reason and the field.
Causes that first came within a day stand first, then those with the most entries.`,
		Example: "  sluice quarantine causes\n  sluice quarantine causes inventory.bills",
		Args:    cobra.MaximumNArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			flags.resource = strings.Join(args, "")
			filter, err := flags.filter(c, a, false)
			if err != nil {
				return err
			}
			causes, err := causesOf(ctx, a, filter)
			if err != nil {
				return err
			}
			const head = "STREAM  " + headOrganization + "  CODE  FIELD  ENTRIES  FIRST SEEN  LAST SEEN  EXAMPLE"
			return c.show(causes, view.Table(causes, head, func(g *quarantine.Cause) view.Row {
				zone := a.Zone(g.Organization)
				return view.Row{
					g.Service + "." + g.Resource, g.Organization, g.Code, g.Field, g.Entries,
					view.Minute(g.FirstSeenAt, zone), view.Minute(g.LastSeenAt, zone), view.ID(g.Example),
				}
			}).Or("Nothing is in quarantine."))
		}),
	}
	flags.organization.add(cmd)
	cmd.Flags().StringVar(&flags.code, "code", "", "only entries with this reason, such as bad_time")
	return cmd
}

// causesOf sums up the open entries that a filter selects.
func causesOf(ctx context.Context, a *engine.App, filter quarantine.Filter) ([]quarantine.Cause, error) {
	filter.Limit = mostCauses
	causes, err := a.DB.Causes(ctx, filter)
	if err != nil {
		return nil, fmt.Errorf("sum up the quarantine: %w", err)
	}
	return causes, nil
}

// quarantineFlags select entries on a command line.
type quarantineFlags struct {
	organization          organizationFlag
	resource, code, field string
	since                 moment
}

func (f *quarantineFlags) add(cmd *cobra.Command) {
	f.organization.add(cmd)
	cmd.Flags().StringVar(&f.code, "code", "", "only entries with this reason, such as bad_time")
	cmd.Flags().StringVar(&f.field, "field", "", "only entries with this field, array positions left out: line_items[].rate")
	f.since.add(cmd, "only entries last seen since")
}

// filter makes the filter of the flags; it selects open entries only, unless all is set.
func (f *quarantineFlags) filter(c *cli, a *engine.App, all bool) (quarantine.Filter, error) {
	filter := quarantine.Filter{State: "open", Code: f.code}
	if all {
		filter.State = ""
	}
	if f.field != "" {
		filter.Field = &f.field
	}
	if f.resource != "" && f.resource != "all" {
		filter.Service, filter.Resource = splitName(f.resource)
	}
	var err error
	if filter.Organization, err = f.organization.key(a); err != nil {
		return filter, err
	}
	filter.Since, err = f.since.at(c.env.Now(), a.Zone(filter.Organization))
	return filter, err
}

// The name of an entry's number in errors, and the command that lists entries.
const (
	entryNumber     = "entry number"
	quarantineLists = "quarantine list"
)

// wholeEntry is an entry with its record as received.
type wholeEntry struct {
	quarantine.Entry

	// Raw is the record, byte for byte. If it is no valid UTF-8, RawBase64 has the bytes and Raw
	// shows them as well as possible.
	Raw       string `json:"raw"`
	RawBase64 []byte `json:"raw_base64,omitempty"`
}

func wholeOf(e quarantine.Entry) wholeEntry {
	whole := wholeEntry{Entry: e, Raw: string(e.Raw)}
	if !utf8.Valid(e.Raw) {
		whole.RawBase64 = e.Raw
	}
	return whole
}
