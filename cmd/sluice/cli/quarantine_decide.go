package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/warehouse"
)

func (c *cli) quarantineRetry() *cobra.Command {
	var flags quarantineFlags
	cmd := &cobra.Command{
		Use:   "retry [ID ...]",
		Short: "Try again to load what is in quarantine, without a call",
		Example: "  sluice quarantine retry 12 13\n  sluice quarantine retry --resource inventory.bills --code bad_time\n" +
			"  sluice quarantine retry --resource all   # after an upgrade",
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withEntries(cmd.Context(), args, &flags, c.retryEntries)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&flags.resource, "resource", "", "all open entries of this resource, or of all")
	return cmd
}

// withEntries gives work the entries that a command line names: by number, or all open ones that
// match the flags.
func (c *cli) withEntries(ctx context.Context, args []string, flags *quarantineFlags, work func(context.Context, *engine.App, []int64) error) error {
	if len(args) == 0 && flags.resource == "" {
		return usage("name entries, or --resource inventory.bills, or --resource all")
	}
	if len(args) > 0 && *flags != (quarantineFlags{}) {
		return usage("name entries or narrow them by flags, not both")
	}
	ids, err := numbers(args, entryNumber, quarantineLists)
	if err != nil {
		return err
	}
	return c.withApp(ctx, func(ctx context.Context, a *engine.App) error {
		if len(args) == 0 {
			filter, err := flags.filter(c, a, false)
			if err != nil {
				return err
			}
			filter.Limit = math.MaxInt32 // no limit: after an upgrade one command handles all
			entries, err := entriesOf(ctx, a, filter)
			if err != nil {
				return err
			}
			for i := range entries {
				ids = append(ids, entries[i].ID)
			}
		}
		return work(ctx, a, ids)
	})
}

func (c *cli) retryEntries(ctx context.Context, a *engine.App, ids []int64) error {
	results, err := retryAll(ctx, a, ids, always)
	if err != nil {
		return err
	}
	failed := 0
	for _, r := range results {
		if !r.Loaded {
			failed++
		}
	}
	lines := view.Text(func(page *view.Page) {
		for _, r := range results {
			text := "loaded"
			if !r.Loaded {
				text = "still does not fit: " + r.Why
			}
			page.Linef("entry %d: %s", r.ID, text)
		}
		page.Linef("%d of %d loaded.", len(results)-failed, len(results))
	})
	return errors.Join(c.show(results, lines), exitIf(failed > 0))
}

// always is for commands, which work until all is done.
func always() bool { return true }

// retriedAtOnce is how many entries are read before they are loaded.
const retriedAtOnce = 100

// retryAll tries to load entries while more says so, and returns the results of those that it
// tried, also with an error.
func retryAll(ctx context.Context, a *engine.App, ids []int64, more func() bool) ([]engine.Retried, error) {
	results := make([]engine.Retried, 0, len(ids))
	for some := range slices.Chunk(ids, retriedAtOnce) {
		if !more() {
			break
		}
		tried, err := a.Retry(ctx, some...)
		if errors.Is(err, engine.ErrBusy) && len(ids) > 1 { // the last one alone
			tried, err = []engine.Retried{{ID: some[0], Why: err.Error()}}, nil
		}
		if err != nil {
			return results, err
		}
		results = append(results, tried...)
	}
	return results, nil
}

// accepted is the result of accepting one entry.
type accepted struct {
	ID       int64  `json:"id"`
	Accepted bool   `json:"accepted"`
	Why      string `json:"why,omitempty"`
}

func (c *cli) quarantineAccept() *cobra.Command {
	var flags quarantineFlags
	var note string
	cmd := &cobra.Command{
		Use:   "accept [ID ...] --note TEXT",
		Short: "Decide that records in quarantine stay out of the warehouse",
		Long: `Decide that records in quarantine stay out of the warehouse: their entries are closed,
with the note, and the same bytes do not open them again. The records are kept. Another
version of the record is loaded if it fits, and is an entry of its own if it does not.`,
		Example: "  sluice quarantine accept 12 --note 'test record of the vendor'\n" +
			"  sluice quarantine accept --resource inventory.bills --code no_id --note 'drafts without a number'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(note) == "" {
				return usage("say with --note why the record is not wanted: later readers need the reason")
			}
			return c.withEntries(cmd.Context(), args, &flags, func(ctx context.Context, a *engine.App, ids []int64) error {
				return c.acceptEntries(ctx, a, ids, note)
			})
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&flags.resource, "resource", "", "all open entries of this resource, or of all")
	cmd.Flags().StringVar(&note, "note", "", "why the records are not wanted")
	return cmd
}

func (c *cli) acceptEntries(ctx context.Context, a *engine.App, ids []int64, note string) error {
	results, err := acceptAll(ctx, a, ids, note, always)
	if err != nil {
		return err
	}
	done := 0
	for _, r := range results {
		if r.Accepted {
			done++
		}
	}
	lines := view.Text(func(page *view.Page) {
		for _, r := range results {
			if !r.Accepted {
				page.Linef("entry %d: %s", r.ID, r.Why)
			}
		}
		page.Linef("%s of %s accepted.", view.Count(done), view.Count(len(ids)))
	})
	return errors.Join(c.show(results, lines), exitIf(done < len(ids)))
}

// acceptAll accepts entries while more says so, and returns the results of those that it came to,
// also with an error.
func acceptAll(ctx context.Context, a *engine.App, ids []int64, note string, more func() bool) ([]accepted, error) {
	results := make([]accepted, 0, len(ids))
	for _, id := range ids {
		if !more() {
			break
		}
		err := a.DB.Resolve(ctx, id, note)
		switch {
		case errors.Is(err, warehouse.ErrNotFound):
			results = append(results, accepted{ID: id, Why: noOpenEntry})
		case err != nil:
			return results, fmt.Errorf("accept entry %d: %w", id, err)
		default:
			results = append(results, accepted{ID: id, Accepted: true})
		}
	}
	return results, nil
}

const noOpenEntry = "there is no such open entry"
