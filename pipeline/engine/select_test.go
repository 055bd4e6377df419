package engine_test

import (
	"errors"
	"strings"
	"testing"

	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
)

// TestChooseOrganization: the same id may be in two data centers; names and keys are unique.
func TestChooseOrganization(t *testing.T) {
	t.Parallel()
	twins := &engine.App{Config: &config.Config{Organizations: []config.Organization{
		{Name: "here", ID: "7", Key: "7"}, {Name: "there", ID: "7", Key: "far"}, {Name: "other", ID: "8", Key: "8"},
		{Name: "west", ID: "6", Key: "west6"}, {Name: "east", ID: "6", Key: "east6"},
	}}}
	for named, want := range map[string]string{"here": "7", "7": "7", "there": "far", "far": "far", "8": "8"} {
		if got, err := twins.ChooseOrganization(named); err != nil || got.Key != want {
			t.Errorf("%q: %v, %v; want %s", named, got, err, want)
		}
	}
	for named, want := range map[string]string{"": "5 organizations are configured", "6": "the id of 2 organizations", "9": `"9" is no configured organization: choose one of here, there, other, west, east`} {
		if _, err := twins.ChooseOrganization(named); !errors.Is(err, engine.ErrUsage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want a mistake of usage with %q", named, err, want)
		}
	}
	single := &engine.App{Config: &config.Config{Organizations: twins.Config.Organizations[:1]}}
	if got, err := single.ChooseOrganization(""); err != nil || got.Name != "here" {
		t.Errorf("the only organization need not be named: %v, %v", got, err)
	}
}
