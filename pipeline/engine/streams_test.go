package engine_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sluice/connectors"
	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse/streams"
)

const twoOrganizations = `
vendor: {api_url: "https://www.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: north
    id: "10"
    credentials: {client_id: n, client_secret: "${SECRET}", refresh_token: "${SECRET}"}
    services:
      accounting: {plan: free}
      inventory: {plan: standard}
      chat: {plan: free, networks: [partners]}
  - name: far
    id: "10"
    key: far_away
    data_center: eu
    time_zone: Europe/Rome
    credentials: {client_id: f, client_secret: "${SECRET}", refresh_token: "${SECRET}"}
    services:
      chat: {plan: free}
resources:
  inventory.bills: {calls_per_run: 7}
  inventory.taxes: {enabled: false}
custom:
  - {service: inventory, name: price_lists, path: /pricebooks, key: pricebooks, id: pricebook_id, scope: settings}
`

// load reads a configuration without opening a connection.
func load(t *testing.T, text string) *engine.App {
	t.Helper()
	return check.Sure(engine.Load(engine.Options{
		Catalogue: connectors.All(), ConfigPath: "config.yaml", LogTo: io.Discard, Now: time.Now,
		LookupEnv: func(name string) (string, bool) { return "x", name == "SECRET" || name == "HOME" },
		ReadFile: func(string) ([]byte, error) {
			return []byte("database: {url: postgres://localhost/none}\n" + text), nil
		},
	}))(t)
}

func keysOf(streams []pipeline.Stream) []string {
	keys := make([]string, 0, len(streams))
	for _, stream := range streams {
		keys = append(keys, stream.String())
	}
	slices.Sort(keys)
	return keys
}

func TestStreams(t *testing.T) {
	t.Parallel()
	a := load(t, twoOrganizations)
	keys := keysOf(a.Streams())
	for key, wanted := range map[string]bool{
		"10/inventory.bills":                     true,
		"10/inventory.bills.details":             true,
		"10/inventory.taxes.details":             false, // its list is complete
		"10/inventory.bills.sweep":               true,
		"10/inventory.taxes.sweep":               false, // its own runs read the whole list
		"10/inventory.items.look":                true,
		"10/inventory.taxes.look":                false, // nor is it looked at
		"10/accounting.expenses.look":            false, // its list does not show every record
		"10/chat.conversations.sweep":            false,
		"10/inventory.price_lists":               true,
		"10/accounting.contact_persons":          true,  // parents are found in the warehouse
		"10/accounting.custom_module_records":    false, // no module is named
		"10/chat.network_channels":               true,
		"far_away/chat.conversations":            true,
		"far_away/chat.network_channels":         false, // no network is named
		"far_away/inventory.bills":               false, // the service is not configured
		"10/chat.conversations":                  true,
		"10/accounting.vendor_payments.details":  true,
		"10/accounting.opening_balances.details": false,
	} {
		check.ErrorIf(t, slices.Contains(keys, key) != wanted, "%s is a stream: %v, want %v", key, !wanted, wanted)
	}
	for _, stream := range a.Streams() {
		found, ok := a.Stream(stream.Key())
		check.ErrorIf(t, !ok || found != stream, "the key of %s leads to %s", stream, found)
	}
}

// TestLooks: lists are looked at daily unless the configuration says otherwise, and never where
// sweeps are off.
func TestLooks(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]time.Duration{
		"":                          24 * time.Hour,
		"{look: 48h}":               48 * time.Hour,
		"{look: off}":               0,
		"{sweep: off}":              0,
		"{sweep: off, look: 24h}":   0,
		"{sweep: 336h, look: 168h}": 168 * time.Hour,
	} {
		text := twoOrganizations
		if written != "" {
			text = strings.Replace(text, "resources:\n", "resources:\n  inventory.items: "+written+"\n", 1)
		}
		a := load(t, text)
		got := a.Config.Resources["inventory.items"].Look
		check.ErrorIf(t, got != want, "%q: looks every %v, want %v", written, got, want)
		looks := slices.Contains(keysOf(a.Streams()), "10/inventory.items.look")
		check.ErrorIf(t, looks != (want > 0), "%q: there are looks: %v", written, looks)
	}
	_, err := engine.Load(engine.Options{
		Catalogue: connectors.All(), ConfigPath: "config.yaml", LogTo: io.Discard, Now: time.Now,
		LookupEnv: func(name string) (string, bool) { return "x", name == "SECRET" || name == "HOME" },
		ReadFile: func(string) ([]byte, error) {
			return []byte("database: {url: postgres://localhost/none}\n" + strings.Replace(twoOrganizations, "resources:\n", "resources:\n  inventory.items: {look: 5m}\n", 1)), nil
		},
	})
	check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "resources.inventory.items.look: has to be off, or 1h or more"),
		"a look every five minutes: %v", err)
}

func TestPhases(t *testing.T) {
	t.Parallel()
	a := load(t, twoOrganizations)
	selected := check.Sure(a.Select([]string{"inventory.bills", "chat"}, ""))(t)
	phases := engine.Phases(selected)
	lists := []string{"10/chat.channels", "10/chat.conversations", "10/inventory.bills", "far_away/chat.channels", "far_away/chat.conversations"}
	rest := []string{"10/chat.network_channels", "10/chat.network_conversations", "10/inventory.bills.details"}
	check.ErrorIf(t, len(phases) != 2 || !slices.Equal(keysOf(phases[0]), lists) || !slices.Equal(keysOf(phases[1]), rest),
		"got %v, want lists %v and then %v", phases, lists, rest)
}

func TestSelect(t *testing.T) {
	t.Parallel()
	a := load(t, twoOrganizations)
	for _, test := range []struct{ names, organization, want string }{
		{"inventory.bills", "", "10/inventory.bills 10/inventory.bills.details"},
		{"inventory.bills.details", "", "10/inventory.bills.details"},
		{"bills.details", "", "10/inventory.bills.details"},
		{"bills.sweep", "", "10/inventory.bills.sweep"},
		{"inventory.bills.sweep", "", "10/inventory.bills.sweep"},
		{"inventory.items.look", "", "10/inventory.items.look"},
		{"taxes.sweep", "", `error: "taxes.sweep" is no configured resource`},
		{"price_lists", "", "10/inventory.price_lists"},
		{"custom.price_lists", "", "10/inventory.price_lists"}, // by its table
		{"conversations", "far", "far_away/chat.conversations"},
		{"conversations", "far_away", "far_away/chat.conversations"},
		{"conversations", "north", "10/chat.conversations"},
		{"taxes", "", "error: nothing to copy"},    // disabled
		{"expenses", "", "error: nothing to copy"}, // optional
		{"bills.detail", "", `error: "bills.detail" is no configured resource`},
		{"bills", "far", `error: "bills" is no configured resource`},
		{"bills", "south", `error: "south" is no configured organization: choose one of `},
	} {
		selected, err := a.Select(strings.Fields(test.names), test.organization)
		got := strings.Join(keysOf(selected), " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		want, isError := strings.CutPrefix(test.want, "error: ")
		switch {
		case isError && (err == nil || !errors.Is(err, engine.ErrUsage) || !strings.Contains(got, want)):
			t.Errorf("%s of %q: got %s, want an error with %q", test.names, test.organization, got, want)
		case !isError && got != want:
			t.Errorf("%s of %q: got %s, want %s", test.names, test.organization, got, want)
		}
	}
}

// TestSelectKeyBeforeID: "10" is the key of one organization and the id of both.
func TestSelectKeyBeforeID(t *testing.T) {
	t.Parallel()
	a := load(t, twoOrganizations)
	selected, err := a.Select([]string{"conversations"}, "10")
	check.ErrorIf(t, err != nil || !slices.Equal(keysOf(selected), []string{"10/chat.conversations"}), "got %v, %v", selected, err)
	both := load(t, strings.Replace(twoOrganizations, "    id: \"10\"\n    credentials", "    id: \"10\"\n    key: near\n    credentials", 1))
	if _, err := both.Select(nil, "10"); !errors.Is(err, engine.ErrUsage) || !strings.Contains(err.Error(), "near, far_away") {
		t.Errorf("an id of two organizations: got %v", err)
	}
}

func TestAllowance(t *testing.T) {
	t.Parallel()
	a := load(t, twoOrganizations)
	for key, want := range map[engine.Key]int{
		{Organization: "10", Service: "inventory", Resource: "bills.details"}:            7,   // the configuration says so
		{Organization: "10", Service: "inventory", Resource: "items.details"}:            250, // a tenth of 2,500
		{Organization: "10", Service: "accounting", Resource: "vendor_payments.details"}: 100, // a tenth of 1,000
		{Organization: "10", Service: "chat", Resource: "network_channels"}:              500, // no daily limit
	} {
		stream, ok := a.Stream(key)
		got := a.Allowance(stream)
		check.ErrorIf(t, !ok || got != want, "%s: %d calls a run, want %d", key, got, want)
	}
}

func TestZone(t *testing.T) {
	t.Parallel()
	a := load(t, twoOrganizations)
	if north, far := a.Zone("10").String(), a.Zone("far_away").String(); north != "UTC" || far != "Europe/Rome" {
		t.Errorf("zones %s and %s, want UTC, as upstream named none yet, and Europe/Rome", north, far)
	}
}

func TestAlarm(t *testing.T) {
	t.Parallel()
	const (
		share    = "ALARM: 6.0 % of the last run's records are in quarantine (quarantine.max_share: 5 %)"
		withheld = "ALARM: 2 records that made the watermark wait are in quarantine (quarantine.max_share: 5 %)"
		many     = "ALARM: 1,001 records are in quarantine (quarantine.max_open: 1,000)"
	)
	for name, test := range map[string]struct {
		maxOpen        int
		open, withheld int64
		share          float64
		want           string
	}{
		"nothing":                {1000, 0, 0, 0, ""},
		"as much as is let pass": {1000, 1000, 0, 0.05, ""},
		"too large a share":      {1000, 2, 2, 0.06, share},
		"a healthy run since":    {1000, 3, 2, 0, withheld},
		"too many":               {1000, 1001, 0, 0, many},
		"both":                   {1000, 1001, 0, 0.06, share},
		"no bound":               {0, 1_000_000, 0, 0.05, ""},
	} {
		a := &engine.App{Config: &config.Config{Quarantine: config.Quarantine{MaxShare: 0.05, MaxOpen: test.maxOpen}}}
		got := a.Alarm(&streams.Status{Quarantined: test.open, QuarantinedShare: test.share, Withheld: test.withheld})
		check.ErrorIf(t, got != test.want, "%s: %q, want %q", name, got, test.want)
	}
}

const scoped = `
vendor: {api_url: "https://www.example.com", chat_url: "https://chat.example.com", auth_url: "https://accounts.example.com"}
organizations:
  - name: together
    id: "1"
    time_zone: Asia/Kolkata
    reset: {hour: 0}
    credentials: {client_id: n, client_secret: "${SECRET}", refresh_token: "${SECRET}"}
    services:
      accounting: {plan: free}
      inventory: {plan: premium, reset: {zone: UTC, hour: 7}}
      invoicing: {plan: free, rate_scope: service}
  - name: apart
    id: "2"
    rate_scope: service
    credentials: {client_id: n, client_secret: "${SECRET}", refresh_token: "${SECRET}"}
    services:
      accounting: {plan: free}
      inventory: {plan: premium}
      chat: {plan: free, rate_scope: organization}
budget: {shares: {incremental: {floor: 0.6}}}
`

// TestLimitsOfTheConfiguration: the figures are copied from the documents.
func TestLimitsOfTheConfiguration(t *testing.T) {
	t.Parallel()
	a := load(t, scoped)
	shares := pipeline.Shares{
		"incremental": {Floor: 0.6}, "probe": {Floor: 0.02}, "details": {Ceiling: 0.4}, "sweep": {Ceiling: 0.4}, "backfill": {Ceiling: 0.5},
		"hinted": {Floor: 0.05, Ceiling: 0.3},
	}
	for _, test := range []struct {
		organization, service string
		want                  pipeline.Limits
		with                  []string
	}{
		// The five calls at once of the smaller plan count for both.
		{"1", "accounting", pipeline.Limits{Shared: "suite", PerMinute: 100, Concurrent: 5, Daily: 1000, ResetZone: "Asia/Kolkata"}, []string{"inventory"}},
		{"1", "inventory", pipeline.Limits{Shared: "suite", PerMinute: 100, Concurrent: 5, Daily: 7500, ResetZone: "UTC", ResetHour: 7}, []string{"accounting"}},
		{"1", "invoicing", pipeline.Limits{Shared: "service:invoicing", PerMinute: 100, Concurrent: 5, Daily: 1000, ResetZone: "Asia/Kolkata"}, nil},
		{"2", "accounting", pipeline.Limits{Shared: "service:accounting", PerMinute: 100, Concurrent: 5, Daily: 1000}, nil},
		{"2", "inventory", pipeline.Limits{Shared: "service:inventory", PerMinute: 100, Concurrent: 10, Daily: 7500}, nil},
	} {
		got := check.Sure(a.Limits(test.organization, test.service))(t)
		test.want.Shares = shares
		diff := cmp.Diff(test.want, got)
		check.ErrorIf(t, diff != "", "%s of %s (-want +got):\n%s", test.service, test.organization, diff)
		with := a.SharedWith(test.organization, test.service)
		check.ErrorIf(t, !slices.Equal(with, test.with), "%s of %s shares with %v, want %v", test.service, test.organization, with, test.with)
	}
	// Chat has its declared allowance again.
	got, err := a.Limits("2", "chat")
	check.ErrorIf(t, err != nil || got.Shared != "chat", "chat: %+v, %v", got, err)
}

// TestChooseOrganization: the same id may be in two data centers; names and keys are unique.
func TestChooseOrganization(t *testing.T) {
	t.Parallel()
	twins := &engine.App{Config: &config.Config{Organizations: []config.Organization{
		{Name: "here", ID: "7", Key: "7"}, {Name: "there", ID: "7", Key: "far"}, {Name: "other", ID: "8", Key: "8"},
		{Name: "west", ID: "6", Key: "west6"}, {Name: "east", ID: "6", Key: "east6"},
	}}}
	for named, want := range map[string]string{"here": "7", "7": "7", "there": "far", "far": "far", "8": "8"} {
		got, err := twins.ChooseOrganization(named)
		check.ErrorIf(t, err != nil || got.Key != want, "%q: %v, %v; want %s", named, got, err, want)
	}
	for named, want := range map[string]string{"": "5 organizations are configured", "6": "the id of 2 organizations", "9": `"9" is no configured organization: choose one of here, there, other, west, east`} {
		if _, err := twins.ChooseOrganization(named); !errors.Is(err, engine.ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a mistake of usage with %q", named, err, want)
		}
	}
	single := &engine.App{Config: &config.Config{Organizations: twins.Config.Organizations[:1]}}
	got, err := single.ChooseOrganization("")
	check.ErrorIf(t, err != nil || got.Name != "here", "the only organization need not be named: %v, %v", got, err)
}
