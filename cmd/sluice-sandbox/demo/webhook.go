package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/sandbox"
)

// due are the resources whose lists are due within an hour.
func due() []string {
	return []string{
		"inventory.bills", "inventory.items", "inventory.composite_items", "accounting.vendor_payments", "accounting.chart_of_accounts",
	}
}

// The numbers of changes of the demo, per resource.
const (
	inserts = 3
	edits   = 7
)

// Copy copies everything, then what the company changes within an hour, then one more change, of
// which a webhook tells.
func (s *Stage) Copy(ctx context.Context) error {
	if err := s.title("First sync: everything"); err != nil {
		return err
	}
	if err := s.show(ctx, "sync"); err != nil {
		return err
	}
	inserted, edited, err := s.change()
	if err != nil {
		return err
	}
	if err := s.title("Second sync, an hour later: what is due by then"); err != nil {
		return err
	}
	if err := s.say("Meanwhile, upstream: %d new records and %d edited ones.\n", inserted, edited); err != nil {
		return err
	}
	if err := s.show(ctx, "sync "+strings.Join(due(), " ")); err != nil {
		return err
	}
	return s.webhook(ctx)
}

// change simulates an hour of the company's business, and returns the numbers of changes.
func (s *Stage) change() (int, int, error) {
	var names []string
	for _, name := range due() {
		_, resource, _ := strings.Cut(name, ".")
		names = append(names, resource)
	}
	changed, err := s.Upstream.World.Change(sandbox.Change{Seed: s.options.Seed + 1, Inserts: inserts, Edits: edits, Resources: names})
	if err != nil {
		return 0, 0, fmt.Errorf("change the company: %w", err)
	}
	inserted, edited := 0, 0
	for _, c := range changed {
		inserted, edited = inserted+len(c.Inserted), edited+len(c.Edited)
	}
	return inserted, edited, nil
}

// webhookLimit is how long a change may take to its row: some calls may wait for the next minute.
const webhookLimit = 2 * time.Minute

// webhook shows a change that upstream tells of: the webhook of a rule, the receiver, and one call
// for the record.
func (s *Stage) webhook(ctx context.Context) (err error) {
	if err := s.title("One more change, of which a webhook tells"); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.postgres.URL())
	if err != nil {
		return fmt.Errorf("connect to the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	serving, err := s.serve(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	rule := sandbox.WebhookRule{
		Resource: "inventory.bills", Body: `{"bill_id":"${bill_id}"}`, Secret: s.Environment["DEMO_HOOK_SECRET"],
		Address: "http://" + s.hooks + "/rule/" + s.Upstream.Organization + "/inventory.bills",
	}
	if err := s.Upstream.World.SetWebhooks(sandbox.Webhooks{Rules: []sandbox.WebhookRule{rule}}); err != nil {
		return fmt.Errorf("make a rule upstream: %w", err)
	}
	changed, err := s.Upstream.World.Change(sandbox.Change{Seed: s.options.Seed + 2, Edits: 1, Resources: []string{"bills"}})
	if err != nil {
		return fmt.Errorf("change a bill: %w", err)
	}
	began, id := time.Now(), changed["bills"].Edited[0]
	before, err := bill(ctx, conn, id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, webhookLimit, errors.New("the change of which a webhook told did not arrive"))
	defer cancel()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		after, err := bill(ctx, conn, id)
		if err != nil {
			return err
		}
		if !maps.Equal(before, after) {
			return s.showWebhook(ctx, conn, rule, id, before, after, time.Since(began))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-serving.ended:
			return errors.New("sluice serve ended")
		case <-ticker.C:
		}
	}
}

// bill reads a row: its values in JSON, by column.
func bill(ctx context.Context, conn *pgx.Conn, id string) (map[string]string, error) {
	var text []byte
	row := make(map[string]string)
	err := conn.QueryRow(ctx, `SELECT to_jsonb(b)::text FROM inventory.bills b WHERE bill_id = $1`, id).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, nil
	}
	var values map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	if err != nil {
		return nil, fmt.Errorf("read a bill: %w", err)
	}
	for column, value := range values {
		row[column] = string(value)
	}
	return row, nil
}

// differences are the columns of upstream that have other values, and the number of those that had
// none before, because the list leaves them out. The instant of the change is left out: it says
// nothing new.
func differences(id string, before, after map[string]string) ([][]string, int) {
	var rows [][]string
	filled := 0
	for _, column := range slices.Sorted(maps.Keys(after)) {
		switch {
		case strings.HasPrefix(column, "_") || column == "last_modified_time" || before[column] == after[column]:
		case before[column] == "null" && column != "notes": // what an edit of the sandbox changes
			filled++
		default:
			rows = append(rows, []string{id, column, before[column], after[column]})
		}
	}
	return rows, filled
}

func (s *Stage) showWebhook(
	ctx context.Context, conn *pgx.Conn, rule sandbox.WebhookRule, id string, before, after map[string]string, took time.Duration,
) error {
	calls := 0
	if err := conn.QueryRow(ctx, `SELECT count(*) FROM sluice.calls WHERE class = 'hinted'`).Scan(&calls); err != nil {
		return fmt.Errorf("read the call log: %w", err)
	}
	rows, filled := differences(id, before, after)
	err := s.say("Upstream called %s and named the bill, not what changed. sluice asked for the bill.\n", rule.Address)
	if err == nil {
		err = s.table([]string{"bill", "column", "before", "after"}, rows)
	}
	if err == nil && filled > 0 {
		err = s.say("and %d columns that lists leave out, with its lines", filled)
	}
	if err != nil {
		return err
	}
	return s.say("\nIn the warehouse %.1f s after the change upstream; calls that it took: %d.", took.Seconds(), calls)
}
