package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/receivers"
)

func (c *cli) eventsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "events",
		Short: "List the receivers of events, and how far each was told what changed",
		Long: `List the receivers of events, and how far each was told what changed. A receiver is
configured under events. It gets a signed message for each record that changed, and one
at the end of each run that loaded something; serve posts them, and sync before it ends.

LAG is the age of the oldest change that a receiver was not told. A receiver that fails
is tried again at NEXT, and nothing is lost as long as retention.changes lasts.`,
		Example: "  sluice events\n  sluice events test airflow\n  sluice events replay airflow --from now",
		Args:    cobra.NoArgs,
		RunE:    c.offlineWork(c.listEvents),
	}
	cmd.AddCommand(c.testEvents(), c.enableEvents(), c.replayEvents())
	return cmd
}

// The states that only commands show: a receiver has no position yet, or no configuration has it.
const (
	receiverWaiting receivers.State = "waiting"
	receiverRemoved receivers.State = "removed"
)

// receiverView is one receiver of events.
type receiverView struct {
	receivers.Receiver

	// LagSeconds is the age of the oldest change that it was not told.
	LagSeconds float64 `json:"lag_seconds"`
	// Lost says that it will be told to read the tables anew.
	Lost bool `json:"lost,omitempty"`
	// ForgottenAt is when the row of a removed one is deleted.
	ForgottenAt *time.Time `json:"forgotten_at,omitempty"`
}

// receiversOf reads the receivers of events.
func receiversOf(ctx context.Context, a *engine.App) ([]receiverView, error) {
	all, err := a.EventReceivers(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the receivers of events: %w", err)
	}
	views := make([]receiverView, len(all))
	for i := range all {
		r := &all[i]
		views[i] = receiverView{Receiver: r.Receiver, LagSeconds: r.Lag.Seconds(), Lost: r.Lost}
		switch {
		case !r.Begun:
			views[i].State = receiverWaiting
		case !r.Configured:
			views[i].State, views[i].ForgottenAt = receiverRemoved, new(r.ForgottenAt())
		}
	}
	return views, nil
}

func (c *cli) listEvents(ctx context.Context, a *engine.App, _ []string) error {
	views, err := receiversOf(ctx, a)
	if err != nil {
		return err
	}
	table := view.Table(views, "RECEIVER  STATE  LAG  DELIVERED  FAILED  LAST  NEXT", func(v *receiverView) view.Row {
		lag := ""
		if v.LagSeconds > 0 {
			lag = view.Age(time.Duration(v.LagSeconds * float64(time.Second)))
		}
		return view.Row{v.Name, v.State, lag, v.Delivered, v.Failed, view.Instant(v.DeliveredAt, time.UTC), view.Instant(v.NextAttempt, time.UTC)}
	}).Or("No receiver is configured: docs/operations/events.md says how to begin.")
	return c.show(views, table, view.Text(func(page *view.Page) {
		for i := range views {
			v := &views[i]
			switch v.State { //nolint:exhaustive // trouble tells of the others
			case receiverWaiting:
				page.Linef("%s has no position yet: it is told what changes from the next start of sluice serve or sluice sync on.", v.Name)
			case receiverRemoved:
				page.Linef("%s is not in the configuration. Its position stays until %s.", v.Name, view.Instant(v.ForgottenAt, time.UTC))
			}
			if trouble := v.trouble(); trouble != "" {
				page.Linef("%s", trouble)
			}
			if v.Lost {
				page.Linef("%s is told feed.restarted next: its position cannot be followed, and it has to read the tables anew.", v.Name)
			}
		}
	}))
}

// trouble says why a receiver gets nothing now; empty if it does.
func (v *receiverView) trouble() string {
	why := ""
	if v.LastError != nil {
		why = *v.LastError
	}
	switch v.State {
	case receivers.Disabled:
		return fmt.Sprintf("%s gets no events: %s. sluice events enable %s lets it go on.", v.Name, why, v.Name)
	case receivers.Failing:
		return fmt.Sprintf("%s failed to take events, %s in a row: %s", v.Name, view.Plural(v.Failures, "time"), why)
	default:
		return ""
	}
}

func (c *cli) testEvents() *cobra.Command {
	return &cobra.Command{
		Use:   "test NAME",
		Short: "Post a test message to a receiver",
		Long: `Post a message of type test to a receiver, signed as all are, and say how it answered.
It moves no position, and is posted to a disabled receiver, too.`,
		Example: "  sluice events test airflow",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			options := c.options()
			options.Purpose = config.ForEvents
			return withOptions(cmd.Context(), options, func(ctx context.Context, a *engine.App) error {
				if err := a.TestEvents(ctx, args[0]); err != nil {
					return err
				}
				return c.show(map[string]string{"receiver": args[0], "answer": "acknowledged"}, view.Line("%s acknowledged the test message.", args[0]))
			})
		},
	}
}

func (c *cli) enableEvents() *cobra.Command {
	return &cobra.Command{
		Use:   "enable NAME",
		Short: "Let a receiver that was disabled or fails go on at once",
		Long: `Let a receiver go on at once where it stopped: one that answered 410 and was disabled, or
one that waits for its next attempt.`,
		Example: "  sluice events enable airflow",
		Args:    cobra.ExactArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			if err := a.EnableEvents(ctx, args[0]); err != nil {
				return err
			}
			return c.show(map[string]string{"receiver": args[0], "state": "ok"}, view.Line("%s goes on where it stopped.", args[0]))
		}),
	}
}

func (c *cli) replayEvents() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "replay NAME --from CURSOR",
		Short: "Move a receiver to another position in the log of changes",
		Long: `Move a receiver to another position in the log of changes. --from is a cursor, as
analytics.changes_cursor() and analytics.changes() return it, or now. The receiver is told
everything behind it, again or for the first time; what it has not got before it, it never
gets. A disabled receiver stays disabled.`,
		Example: "  sluice events replay airflow --from now\n  sluice events replay airflow --from \"$cursor\"",
		Args:    cobra.ExactArgs(1),
		RunE: c.offlineWork(func(ctx context.Context, a *engine.App, args []string) error {
			if from == "" {
				return usage("events replay needs --from: a cursor, or now")
			}
			cursor, err := a.ReplayEvents(ctx, args[0], from)
			if err != nil {
				return err
			}
			return c.show(map[string]string{"receiver": args[0], "cursor": cursor}, view.Line("%s goes on behind %s.", args[0], cursor))
		}),
	}
	cmd.Flags().StringVar(&from, "from", "", "a cursor of analytics.changes_cursor(), or now")
	return cmd
}
