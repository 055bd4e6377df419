package pipeline_test

import (
	"testing"
	"time"

	"sluice/pipeline"
)

func TestTheZoneIsTheConfiguredOneOrUpstreams(t *testing.T) {
	t.Parallel()
	rome, err := time.LoadLocation("Europe/Rome")
	if err != nil {
		t.Fatal(err)
	}
	told, configured := new(pipeline.Organization), &pipeline.Organization{Location: rome}
	for _, step := range []struct{ name, want string }{
		{"", "UTC"}, {"Asia/Kolkata", "Asia/Kolkata"}, {"Asia/Kolkata", "Asia/Kolkata"}, {"Nowhere/Atall", "UTC"}, {"Local", "UTC"}, {"Asia/Tokyo", "Asia/Tokyo"},
	} {
		known := told.FollowZone(step.name)
		if got := told.Zone().String(); got != step.want || (known == nil) != (step.want == "UTC") {
			t.Errorf("upstream names %q: the zone is %s, want %s", step.name, got, step.want)
		}
		configured.FollowZone(step.name)
		if configured.Zone() != rome {
			t.Errorf("upstream names %q, and the configured zone is %s", step.name, configured.Zone())
		}
	}
	if zone := (*pipeline.Organization)(nil).Zone(); zone != time.UTC {
		t.Errorf("no organization is in %s", zone)
	}
}
