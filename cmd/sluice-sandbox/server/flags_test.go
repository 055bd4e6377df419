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
	if options.Activity.Inserts != 3 || options.Poster == nil {
		t.Errorf("%+v", options)
	}
	want := []sandbox.OrganizationOptions{{ID: "600999", Seed: 6}, {ID: "600999", DataCenter: "eu", Seed: 7}}
	if !slices.Equal(options.Organizations, want) {
		t.Errorf("organizations %+v", options.Organizations)
	}
	_, err = (&Flags{activity: map[string]int{"explosions": 1}}).Options()
	if !errors.Is(err, ErrUsage) {
		t.Errorf("a rate of something else: %v", err)
	}
	if _, err := Start(t.Context(), "127.0.0.1:0", sandbox.Options{Now: time.Now, Chaos: sandbox.Chaos{Gzip: 2}}); !errors.Is(err, ErrUsage) {
		t.Errorf("a rate of 2: %v", err)
	}
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
	if organizations[0].Services["inventory"].Plan != "enterprise" || organizations[0].Services["accounting"].Plan != "elite" {
		t.Errorf("plans %+v", organizations[0].Services)
	}
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
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "Vendor") {
			t.Errorf("vendor %q: %v", vendor, err)
		}
	}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	new(Flags).Add(flags)
	if flag := flags.Lookup("vendor"); flag == nil || flag.DefValue != "Svc" {
		t.Errorf("flag --vendor: %+v", flag)
	}
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
			if _, ok := services[service.Name]; ok != (len(service.Resources) > 0) {
				t.Errorf("%s: the service %s is there: %t", name, service.Name, ok)
			}
		}
		if got := services["chat"].Networks; !slices.Equal(got, running.Networks) {
			t.Errorf("%s: networks %q, want %q", name, got, running.Networks)
		}
		if got := services["accounting"].CustomModules; !slices.Equal(got, running.Modules) {
			t.Errorf("%s: custom modules %q, want %q", name, got, running.Modules)
		}
	}
}
