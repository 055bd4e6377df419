package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/pipeline"
	"sluice/pipeline/notifications"
	"sluice/sandbox"
)

// toldLimit is how long a change may take to its row.
const toldLimit = 30 * time.Second

// told shows a change that upstream tells of: the webhook of a rule, the receiver, and one call for
// the record.
func (s *demoStage) told(ctx context.Context, seed int64) (err error) {
	if err := s.title("One more change, of which a webhook tells"); err != nil {
		return err
	}
	receiver, err := receiveAt(ctx, s.app, s.hooks, callbackMetrics(s.app))
	s.hooks = nil
	if err != nil {
		return err
	}
	queue, err := s.app.StartQueue(context.WithoutCancel(ctx), false)
	if err != nil {
		return errors.Join(err, receiver.stop(ctx))
	}
	defer func() {
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), queueStopLimit)
		defer cancel()
		err = errors.Join(err, receiver.stop(stop), queue.Stop(stop))
	}()
	rule := sandbox.WebhookRule{
		Resource: "inventory.bills", Body: `{"bill_id":"${bill_id}"}`, Secret: s.environment["DEMO_HOOK_SECRET"],
		Address: s.app.Config.Notifications.PublicURL + notifications.Path(notifications.Rule, s.upstream.Organization, "inventory.bills"),
	}
	if err := s.upstream.world.SetWebhooks(sandbox.Webhooks{Rules: []sandbox.WebhookRule{rule}}); err != nil {
		return fmt.Errorf("make a rule upstream: %w", err)
	}
	changed, err := s.upstream.world.Change(sandbox.Change{Seed: seed + 2, Edits: 1, Resources: []string{"bills"}})
	if err != nil {
		return fmt.Errorf("change a bill: %w", err)
	}
	began, id := s.cli.env.Now(), changed["bills"].Edited[0]
	before, err := s.bill(ctx, id)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, toldLimit, errors.New("the change of which a webhook told did not arrive"))
	defer cancel()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	for {
		if err := queue.Hint(ctx); err != nil {
			return err
		}
		after, err := s.bill(ctx, id)
		if err != nil {
			return err
		}
		if !maps.Equal(before, after) {
			rows, filled := differences(id, before, after)
			return s.showTold(ctx, rule, rows, filled, s.cli.env.Now().Sub(began))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// bill reads a row: its values in JSON, by column.
func (s *demoStage) bill(ctx context.Context, id string) (map[string]string, error) {
	_, rows, err := s.app.DB.Query(ctx, `SELECT to_jsonb(b) FROM inventory.bills b WHERE bill_id = '`+id+`'`)
	if err != nil {
		return nil, fmt.Errorf("read a bill: %w", err)
	}
	row := make(map[string]string)
	for _, found := range rows {
		var values map[string]json.RawMessage
		if err := json.Unmarshal([]byte(found[0]), &values); err != nil {
			return nil, fmt.Errorf("read a bill: %w", err)
		}
		for column, value := range values {
			row[column] = string(value)
		}
	}
	return row, nil
}

// differences are the columns of upstream that have other values, and the number of those that had
// none before, because the list leaves them out. The instant of the change is left out: it says
// nothing new.
func differences(id string, before, after map[string]string) ([]view.Row, int) {
	var rows []view.Row
	filled := 0
	for _, column := range slices.Sorted(maps.Keys(after)) {
		switch {
		case strings.HasPrefix(column, "_") || column == "last_modified_time" || before[column] == after[column]:
		case before[column] == "null" && column != "notes": // what an edit of the sandbox changes
			filled++
		default:
			rows = append(rows, view.Row{id, column, before[column], after[column]})
		}
	}
	return rows, filled
}

func (s *demoStage) showTold(ctx context.Context, rule sandbox.WebhookRule, rows []view.Row, filled int, took time.Duration) error {
	spent, err := s.app.DB.Spent(ctx, s.upstream.Organization)
	if err != nil {
		return fmt.Errorf("read the call log: %w", err)
	}
	calls := 0
	for i := range spent {
		if spent[i].Class == string(pipeline.ClassHinted) {
			calls += int(spent[i].Calls)
		}
	}
	err = s.say("Upstream called %s and named the bill, not what changed. sluice asked for the bill.\n", rule.Address)
	if err == nil {
		err = s.show(view.TableOf("BILL  COLUMN  BEFORE  AFTER", rows))
	}
	if err == nil && filled > 0 {
		err = s.say("and %s that lists leave out, with its lines", view.Plural(filled, "column"))
	}
	if err != nil {
		return err
	}
	return s.say("\nIn the warehouse %s after the change upstream, for %s.", view.Seconds(took.Seconds()), view.Plural(calls, "call"))
}
