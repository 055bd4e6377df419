package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"sluice/pipeline/engine"
	"sluice/pipeline/notifications"
	"sluice/sandbox"
)

// TestNotificationPages: channels, gaps, the inbox, and the self-test with and without a receiver.
func TestNotificationPages(t *testing.T) {
	t.Parallel()
	s := newFixture(t, sandbox.Options{Records: 10}).narrow()
	d := s.desk()
	d.says("/notifications", "No organization has notifications.", "No channel is configured", "No callback has arrived.", "There was no gap.")

	public := newFront(t)
	s.notified(public.URL)
	d = s.desk()
	d.says("/notifications", "Products", "inventory.items", "create, edit", "No gap is open. Upstream tells by 2 channels and 0 rules.", "not tried yet")
	check := "/notifications/" + businessKey + "/check"
	did := d.posts(check, url.Values{})
	if after, ok := did.After.(map[string]any); !ok || after["ok"] != false || after["broken"] != string(engine.LinkProxy) || !strings.Contains(did.Failed, "proxy: ") || !strings.Contains(did.Failed, "Start the receiver") {
		t.Errorf("nothing listens: %+v", did)
	}

	receiver := sure(d.app.OpenReceiver(t.Context(), func(notifications.Observation) {}))(t)
	t.Cleanup(receiver.Close)
	public.handler.Store(http.HandlerFunc(receiver.ServeHTTP))
	did = d.posts(check, url.Values{})
	if after, ok := did.After.(map[string]any); !ok || after["ok"] != true || did.Failed != "" || did.What != "notifications check" || did.Organization != businessKey {
		t.Errorf("a self-test: %+v", did)
	}
	d.says("/notifications", "worked then")
	if did = d.posts("/notifications/nobody/check", url.Values{}); !strings.Contains(did.Failed, "nobody") {
		t.Errorf("a self-test of nobody: %+v", did)
	}

	body := `{"note":"canaryOfTheBody"}` + harmful
	id := one[int64](s, `INSERT INTO sluice.callbacks (organization_id, dialect, digest, received_at, repeated_at, times, module, operation, ids, bytes, body)
		VALUES ($1, 'rule', '\x01', now() - interval '1 minute', now(), 3, $2, 'update', ARRAY[$2, '2', '3', '4', '5'], 26, $3) RETURNING id`, businessKey, harmful, body)
	s.exec(`INSERT INTO sluice.channel_gaps (organization_id, channel, opened_at, reason) VALUES ($1, '', now() - interval '1 hour', $2)`, businessKey, harmful)
	s.exec(`INSERT INTO sluice.channels (organization_id, module, channel_id, wanted, state, code, reason)
		VALUES ($1, 'Deals', 7, '\x00', 'refused', 'NOT_ALLOWED', $2)
		ON CONFLICT (organization_id, module) DO UPDATE SET state = 'refused', code = excluded.code, reason = excluded.reason`, businessKey, harmful)
	one := fmt.Sprintf("/notifications/callbacks/%d", id)
	d.says("/notifications", "Upstream cannot tell of changes at present: 1 gap open", "still open", "broken: &lt;script&gt;", "refused: NOT_ALLOWED: &lt;script&gt;",
		"and 2 more", one)
	d.says("/notifications/callbacks", "and 2 more", one)
	d.says(one, "canaryOfTheBody", "It names 5 records and arrived 3 times.")
	d.same("/notifications", "notifications")
	d.same("/notifications/callbacks", "notifications", "inbox")
	d.same(one, "notifications", "show", fmt.Sprint(id))

	delete(s.environment, "HOOK_SECRET")
	d = s.desk()
	want := deed{Who: anOperator, What: "notifications check", Target: businessKey, Organization: businessKey}
	did = d.posts(check, url.Values{})
	if !strings.Contains(did.Failed, "notifications.secret") || did.What != want.What || did.Target != want.Target || did.After != nil {
		t.Errorf("without the secret: %+v", did)
	}
}
