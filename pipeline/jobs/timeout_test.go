package jobs

import (
	"testing"
	"time"

	"github.com/riverqueue/river"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/schema"
)

// TestExportsHaveAnHour: an export is one call of any size, also that of a parent. All other chunks
// are a minute of reading and one call.
func TestExportsHaveAnHour(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		cursor schema.Cursor
		want   time.Duration
	}{
		"list":               {schema.FullScan{}, 6 * time.Minute},
		"export":             {schema.Export{FieldsParam: "fields"}, time.Hour},
		"list per parent":    {schema.PerParent{List: schema.FullScan{}}, 6 * time.Minute},
		"exports per parent": {schema.PerParent{List: schema.Export{FieldsParam: "fields"}}, time.Hour},
	} {
		stream := func(pipeline.Key) (pipeline.Stream, bool) {
			return pipeline.Stream{Resource: &schema.Resource{Cursor: tc.cursor}}, true
		}
		w := &worker{queue: &Queue{options: Options{Stream: stream}}}
		check.Same(t, name, tc.want, w.Timeout(&river.Job[Args]{}))
	}
}
