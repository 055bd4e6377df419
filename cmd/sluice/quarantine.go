package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/app"
	"sluice/cmd/sluice/show"
	"sluice/pipeline/warehouse/report"
)

func (c *cli) quarantineCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine",
		Short: "List, show and retry records that did not fit",
		Long: `Records that do not fit their declaration are kept whole, with the reason, and the
rest of their page is loaded. An entry closes by itself when a version of its record
that fits is loaded; retry tries the kept bytes again, after an upgrade for instance.`,
	}
	cmd.AddCommand(c.quarantineList(), c.quarantineShow(), c.quarantineRetry())
	return cmd
}

func (c *cli) quarantineList() *cobra.Command {
	var all bool
	var limit int
	cmd := &cobra.Command{
		Use:   "list [resource]",
		Short: "List records in quarantine, newest first",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			filter := report.QuarantineFilter{State: "open", Limit: limit}
			if all {
				filter.State = ""
			}
			if len(args) == 1 {
				filter.Service, filter.Resource = splitName(args[0])
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *app.App) error {
				return c.listQuarantine(ctx, a, filter)
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "closed entries, too")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many entries")
	return cmd
}

func (c *cli) listQuarantine(ctx context.Context, a *app.App, filter report.QuarantineFilter) error {
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
			strconv.FormatInt(e.ID, 10), e.Service + "." + e.Resource, e.Record, e.Code, e.Path, show.Count(e.Seen),
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
			return c.withApp(cmd.Context(), func(ctx context.Context, a *app.App) error {
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

func (c *cli) showEntry(ctx context.Context, a *app.App, id int64) error {
	e, err := a.Report.QuarantineShow(ctx, id)
	if err != nil {
		return fmt.Errorf("read entry %d: %w", id, err)
	}
	if c.json {
		return c.printer().Document(struct {
			report.Entry

			Raw string `json:"raw"`
		}{e, string(e.Raw)})
	}
	at := func(label, value string) string { return fmt.Sprintf("%-11s %s\n", label, value) }
	zone := a.Zone(e.Organization)
	text := at("entry", strconv.FormatInt(e.ID, 10)) +
		at("stream", e.Organization+"/"+e.Service+"."+e.Resource) +
		at("record", e.Record) + at("code", e.Code) + at("field", e.Path) + at("why", e.Detail) +
		at("seen", fmt.Sprintf("%s times, first %s, last %s", show.Count(e.Seen),
			e.FirstSeenAt.In(zone).Format("2006-01-02 15:04:05 MST"), e.LastSeenAt.In(zone).Format("2006-01-02 15:04:05 MST"))) +
		at("call, run", fmt.Sprintf("%d, %d", e.Call, e.Run)) +
		at("state", e.State)
	// What came over the wire must not command the terminal.
	return c.printer().Line("%s\n%s", text, strings.Map(visible, string(e.Raw)))
}

// visible turns control characters into a sign.
func visible(r rune) rune {
	if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
		return '\u2400'
	}
	return r
}

func (c *cli) quarantineRetry() *cobra.Command {
	var resource string
	cmd := &cobra.Command{
		Use:     "retry [ID ...]",
		Short:   "Try again to load what is in quarantine, without a call",
		Example: "  sluice quarantine retry 12 13\n  sluice quarantine retry --resource inventory.bills\n  sluice quarantine retry --resource all",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && resource == "" {
				return usage("name entries, or --resource inventory.bills, or --resource all")
			}
			ids := make([]int64, 0, len(args))
			for _, arg := range args {
				id, err := entryID(arg)
				if err != nil {
					return err
				}
				ids = append(ids, id)
			}
			return c.withApp(cmd.Context(), func(ctx context.Context, a *app.App) error {
				return c.retryEntries(ctx, a, ids, resource)
			})
		},
	}
	cmd.Flags().StringVar(&resource, "resource", "", "all open entries of this resource, or of all")
	return cmd
}

func (c *cli) retryEntries(ctx context.Context, a *app.App, ids []int64, resource string) error {
	if resource != "" {
		filter := report.QuarantineFilter{State: "open", Limit: retryLimit}
		if resource != "all" {
			filter.Service, filter.Resource = splitName(resource)
		}
		entries, err := a.Report.Quarantine(ctx, filter)
		if err != nil {
			return fmt.Errorf("read the quarantine: %w", err)
		}
		for i := range entries {
			ids = append(ids, entries[i].ID)
		}
	}
	results := make([]app.Retried, 0, len(ids))
	failed := 0
	for _, id := range ids {
		result, err := a.Retry(ctx, id)
		if err != nil {
			return fmt.Errorf("retry entry %d: %w", id, err)
		}
		if !result.Loaded {
			failed++
		}
		results = append(results, result)
	}
	return c.printRetries(results, failed)
}

// retryLimit bounds one call of retry.
const retryLimit = 10_000

func (c *cli) printRetries(results []app.Retried, failed int) error {
	code := codeFine
	if failed > 0 {
		code = codeFailed
	}
	p := c.printer()
	if p.JSON {
		if err := p.Document(results); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
		return exit(code)
	}
	for _, r := range results {
		text := "loaded"
		if !r.Loaded {
			text = "still does not fit: " + r.Why
		}
		if err := p.Line("entry %d: %s", r.ID, text); err != nil {
			return err //nolint:wrapcheck // it says what failed
		}
	}
	if err := p.Line("%d of %d loaded.", len(results)-failed, len(results)); err != nil {
		return err //nolint:wrapcheck // it says what failed
	}
	return exit(code)
}
