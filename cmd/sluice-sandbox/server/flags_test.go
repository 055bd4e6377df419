package server

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"sluice/connectors"
	"sluice/pipeline/engine"
	"sluice/sandbox"
)

func TestFlags(t *testing.T) {
	t.Parallel()
	flags := Flags{options: sandbox.Options{Seed: 5}, organizations: []string{"600999", "600999@eu"}, activity: map[string]int{"inserts": 3}}
	options, err := flags.Options()
	must(t, err)
	errorIf(t, options.Activity.Inserts != 3 || options.Poster == nil, "%+v", options)
	want := []sandbox.OrganizationOptions{{ID: "600999", Seed: 6}, {ID: "600999", DataCenter: "eu", Seed: 7}}
	errorIf(t, !slices.Equal(options.Organizations, want), "organizations %+v", options.Organizations)
	_, err = (&Flags{activity: map[string]int{"explosions": 1}}).Options()
	errorIf(t, !errors.Is(err, ErrUsage), "a rate of something else: %v", err)
	_, err = Start(t.Context(), "127.0.0.1:0", sandbox.Options{Now: time.Now, Chaos: sandbox.Chaos{Gzip: 2}})
	errorIf(t, !errors.Is(err, ErrUsage), "a rate of 2: %v", err)
}

// TestConfigOfSeveralOrganizations: what the sandbox prints for several organizations is a valid
// configuration.
func TestConfigOfSeveralOrganizations(t *testing.T) {
	t.Parallel()
	running, err := Start(t.Context(), "127.0.0.1:0", sandbox.Options{
		Records: 20, Plan: "elite", TimeZone: "Europe/Rome", Now: time.Now,
		Organizations: []sandbox.OrganizationOptions{{ID: sandbox.DefaultOrganizationID, DataCenter: "eu"}, {ID: "60099999999"}},
	})
	must(t, err)
	t.Cleanup(func() { must(t, running.Stop(context.WithoutCancel(t.Context()))) })
	a, err := engine.Load(engine.Options{
		Catalogue: connectors.All(), ConfigPath: "sandbox.yaml", LogTo: io.Discard, Quiet: true,
		LookupEnv: func(name string) (string, bool) { return name, true },
		ReadFile: func(string) ([]byte, error) {
			return []byte("database: {url: \"postgres://h/d\"}\n" + running.Config(running.plan())), nil
		},
	})
	must(t, err)
	organizations := a.Config.Organizations
	if len(organizations) != 3 || organizations[1].Addresses.APIURL != running.URL+"/dc/eu" || organizations[1].Location.String() != "Europe/Rome" {
		t.Fatalf("%+v", organizations)
	}
	errorIf(t, organizations[0].Services["inventory"].Plan != "enterprise" || organizations[0].Services["accounting"].Plan != "elite",
		"plans %+v", organizations[0].Services)
	for _, line := range []string{"export SANDBOX_REFRESH_TOKEN_2=", "export SANDBOX_REFRESH_TOKEN_3="} {
		if !strings.Contains(running.Text(), line+sandbox.RefreshTokenFor(sandbox.DefaultOrganizationID, "eu")) && !strings.Contains(running.Text(), line+sandbox.RefreshTokenFor("60099999999", "")) {
			t.Errorf("the text lacks %s", line)
		}
	}
}

// TestVendor: a vendor's name that cannot stand in a header is refused.
func TestVendor(t *testing.T) {
	t.Parallel()
	for _, vendor := range []string{"two words", "Acme-", "Ünlü"} {
		_, err := Start(t.Context(), "127.0.0.1:0", sandbox.Options{Vendor: vendor, Now: time.Now})
		errorIf(t, !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "Vendor"), "vendor %q: %v", vendor, err)
	}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	new(Flags).Add(flags)
	flag := flags.Lookup("vendor")
	errorIf(t, flag == nil || flag.DefValue != "Svc", "flag --vendor: %+v", flag)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestConfig reads the configuration that the sandbox prints: it has every service, and the
// parents that only a configuration can name.
func TestConfig(t *testing.T) {
	t.Parallel()
	for name, running := range map[string]Running{
		"bare":         {},
		"with parents": {Networks: []string{"partners", "second network"}, Modules: []string{"cm_vehicles"}},
	} {
		running.URL, running.Organization, running.ClientID = "http://127.0.0.1:1", sandbox.DefaultOrganizationID, sandbox.ClientID
		a, err := engine.Load(engine.Options{
			Catalogue: connectors.All(), ConfigPath: "sandbox.yaml", LogTo: io.Discard, Quiet: true,
			LookupEnv: func(string) (string, bool) { return "secret", true },
			ReadFile: func(string) ([]byte, error) {
				return []byte("database: {url: \"postgres://h/d\"}\n" + running.Config("standard")), nil
			},
		})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		services := a.Config.Organizations[0].Services
		for _, service := range connectors.All() {
			// A service without a list of its own has nothing to copy until one is declared.
			_, ok := services[service.Name]
			errorIf(t, ok != (len(service.Resources) > 0), "%s: the service %s is there: %t", name, service.Name, ok)
		}
		got := services["chat"].Networks
		errorIf(t, !slices.Equal(got, running.Networks), "%s: networks %q, want %q", name, got, running.Networks)
		got = services["accounting"].CustomModules
		errorIf(t, !slices.Equal(got, running.Modules), "%s: custom modules %q, want %q", name, got, running.Modules)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
