package warehouse_test

import (
	"math"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/warehouse"
)

// TestWhatChangesInADay counts the changes of lists that went on from a watermark: not those of a
// first run, of details, of a week ago, or of a list that was read for minutes only.
func TestWhatChangesInADay(t *testing.T) {
	t.Parallel()
	h := open(t)
	list, details, young := key("a", "list"), key("a", "list.details"), key("a", "young")
	h.must(h.db.RegisterStreams(t.Context(), []warehouse.StreamSetting{{Key: list, Every: time.Hour}, {Key: details, Every: time.Hour}, {Key: young, Every: time.Hour}}))
	h.ran(list, pipeline.ClassIncremental, "9 days", "10 days", pipeline.OutcomeDone, 5000, 1)
	h.ran(list, pipeline.ClassIncremental, "4 days", "", pipeline.OutcomeDone, 5000, 1)
	h.ran(list, pipeline.ClassIncremental, "2 days", "3 days", pipeline.OutcomeDone, 60, 1)
	h.ran(list, pipeline.ClassIncremental, "1 day", "2 days", pipeline.OutcomeProvisional, 20, 1)
	h.ran(details, pipeline.ClassDetails, "1 day", "2 days", pipeline.OutcomeDone, 900, 1)
	h.ran(young, pipeline.ClassIncremental, "1 minute", "10 minutes", pipeline.OutcomeDone, 900, 1)
	changed, err := h.db.Changed(t.Context())
	h.must(err)
	if len(changed) != 1 || changed[0].Resource != "list" || math.Abs(changed[0].PerDay-40) > 0.1 || math.Abs(changed[0].Days-2) > 0.01 {
		t.Errorf("got %+v, want 40 changes a day in two days", changed)
	}
}
