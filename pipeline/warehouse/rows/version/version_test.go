package version_test

import (
	"testing"
	"time"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows/version"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	never := noon.AddDate(900, 0, 0)
	for name, test := range map[string]struct {
		record version.Record
		row    version.Row
		want   version.Verdict
	}{
		"later by its own word, asked earlier": {
			version.Record{Modified: noon.Add(time.Second), Call: 1, RequestedAt: noon}, version.Row{Modified: noon, Call: 2, Changed: noon}, version.Replace,
		},
		"as late, asked later": {
			version.Record{Modified: noon, Call: 2, RequestedAt: noon}, version.Row{Modified: noon, Call: 1, Changed: noon}, version.Replace,
		},
		"as late, asked earlier": {
			version.Record{Modified: noon, Call: 1, RequestedAt: noon}, version.Row{Modified: noon, Call: 2, Changed: noon}, version.Superseded,
		},
		"no time, asked later":         {version.Record{Call: 2}, version.Row{Modified: noon, Call: 1, Changed: noon}, version.Replace},
		"row without a time, earlier":  {version.Record{Modified: noon, Call: 1}, version.Row{Call: 2, Changed: noon}, version.Superseded},
		"older, soon after the row":    {version.Record{Modified: noon.Add(-time.Hour), Call: 2, RequestedAt: noon.Add(9 * time.Minute)}, version.Row{Modified: noon, Call: 1, Changed: noon}, version.Superseded},
		"older, long after the row":    {version.Record{Modified: noon.Add(-time.Hour), Call: 2, RequestedAt: noon.Add(10 * time.Minute)}, version.Row{Modified: noon, Call: 1, Changed: noon}, version.Rollback},
		"a row from the future":        {version.Record{Modified: noon, Call: 2, RequestedAt: noon}, version.Row{Modified: never, Call: 1, Changed: noon}, version.Replace},
		"from the future, asked first": {version.Record{Modified: never, Call: 1, RequestedAt: noon}, version.Row{Modified: noon, Call: 2, Changed: noon}, version.Superseded},
		"from the future, asked later": {version.Record{Modified: never, Call: 2, RequestedAt: noon}, version.Row{Modified: noon, Call: 1, Changed: noon}, version.Replace},
		"a zone ahead is no future":    {version.Record{Modified: noon.Add(14 * time.Hour), Call: 1, RequestedAt: noon}, version.Row{Modified: noon, Call: 2, Changed: noon}, version.Replace},
	} {
		check.Same(t, name, test.want, version.Judge(test.record, test.row))
	}
}
