package notifications_test

import (
	"encoding/hex"
	"testing"

	"sluice/pipeline/notifications"
	"sluice/pipeline/upstream/wire"
)

// TestNames: what upstream and earlier versions know must not change. The values were computed with
// another program.
func TestNames(t *testing.T) {
	t.Parallel()
	hook := wire.NewSecret(secret)
	for what, got := range map[string][2]string{
		"token":     {notifications.Token(hook, key, 123456789012345), "zzUPxT6QiRBqJDlRw2U0DxvdFKLS3mF1rEJKJkwPCc0"},
		"signature": {notifications.Signature(hook, []byte(`{"bill_id":"460000000038080"}`)), "89d60994cd81d115e149a515a0a4370a585736a3abed23d978c9a76bb8bcbc47"},
		"digest": {
			hex.EncodeToString(notifications.Digest("inventory.bills", []byte(`{"bill_id":"1"}`))),
			"51f5b763843d6b0baa01f28b0eb40c2cbdf03825fd9c1896c27e993dc0f57e11",
		},
		"header":       {notifications.SignatureHeader("Acme"), "X-Acme-Webhook-Signature"},
		"watch path":   {notifications.Path(notifications.Watch, key, ""), "/watch/10234695"},
		"rule path":    {notifications.Path(notifications.Rule, key, "inventory.bills"), "/rule/10234695/inventory.bills"},
		"another hand": {token(secret, 123456789012345), "zzUPxT6QiRBqJDlRw2U0DxvdFKLS3mF1rEJKJkwPCc0"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %s, want %s", what, got[0], got[1])
		}
	}
	if got := notifications.ChannelID("https://hooks.example.com/sluice", key, "Deals"); got != 231189896931178 {
		t.Errorf("channel %d", got)
	}
	if len(notifications.Token(hook, key, 1)) > 50 {
		t.Error("upstream takes tokens of 50 characters")
	}
}

// TestChannels: two deployments, organizations or modules never share a channel, and its identifier
// has 13 to 15 digits.
func TestChannels(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for _, public := range []string{"https://a.test", "https://b.test", "https://a.test/x"} {
		for _, organization := range []string{"1", "2", "acme"} {
			for module := range 100 {
				id := notifications.ChannelID(public, organization, "Module_"+string(rune('A'+module)))
				if id < 1_000_000_000_000 || id > 999_999_999_999_999 || seen[id] {
					t.Errorf("%s %s: channel %d, seen before: %t", public, organization, id, seen[id])
				}
				seen[id] = true
			}
		}
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	of := settings().Organizations[key]
	if got := of.Targets(notifications.Watch, "Leads", []string{"1"}); got != nil {
		t.Errorf("a module without a channel: %v", got)
	}
	if got := of.Targets(notifications.Rule, "inventory.gone", []string{"1"}); got != nil {
		t.Errorf("a resource that is not copied: %v", got)
	}
	if got := of.Targets(notifications.Test, "", []string{"1"}); got != nil {
		t.Errorf("a test: %v", got)
	}
}
