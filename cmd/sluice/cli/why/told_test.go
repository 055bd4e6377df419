package why_test

import (
	"testing"
	"time"

	"sluice/cmd/sluice/cli/why"
	"sluice/pipeline/warehouse/streams"
)

func TestHowFarNotificationsAreTrusted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	told := func(change func(*streams.Notified)) *streams.Notified {
		n := &streams.Notified{
			EverySeconds: 21_600, NeededRuns: 3, ProvenUntil: new(now.Add(time.Minute)), LastAt: new(now.Add(-2 * time.Minute)),
		}
		change(n)
		return n
	}
	for want, n := range map[string]*streams.Notified{
		"last told of 2 min ago; not trusted yet, so the usual interval applies: 2 of 3 runs in a row found nothing untold": told(
			func(n *streams.Notified) { n.AnnouncedRuns = 2 }),
		"last told of 2 min ago, 2 hints to be read; trusted, so scheduled runs come every 6 h: the last 4 runs found nothing untold, and test callbacks arrive": told(
			func(n *streams.Notified) { n.AnnouncedRuns, n.Trusted, n.Waiting = 4, true, 2 }),
		"last told of 2 min ago; not trusted, so the usual interval applies: the last run found 1 change that nothing had told of": told(
			func(n *streams.Notified) { n.Unannounced = 1 }),
		"last told of 2 min ago; not trusted, so the usual interval applies: no test callback arrived lately (sluice notifications check)": told(
			func(n *streams.Notified) { n.ProvenUntil = new(now) }),
		"last told of 2 min ago; not trusted, so the usual interval applies: a test callback did not arrive: tls": told(
			func(n *streams.Notified) { n.Gap = "a test callback did not arrive: tls" }),
		"no notification has told of it yet; scheduled runs go on as usual (resources: notified: {every: …} makes them rarer)": told(
			func(n *streams.Notified) { n.EverySeconds, n.LastAt = 0, nil }),
	} {
		if got := why.Explain(why.Facts{Stream: streams.Status{Notified: n}, Now: now}).Told; got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
