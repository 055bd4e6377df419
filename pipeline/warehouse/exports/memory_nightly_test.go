//go:build nightly

package exports_test

import (
	"io"
	"runtime"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/files"
	"sluice/pipeline/warehouse/exports"
)

// TestMemory: an export holds no more than a third of the text of a table, in each format.
func TestMemory(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	const count, text = 120_000, 120_000 * 25 * 32 // bytes of its longest column
	f := open(t)
	f.exec(`CREATE VIEW shop.many AS SELECT '1'::text AS organization_id, g AS number, repeat(md5(g::text), 25) AS text, round(g / 7.0, 4) AS share,
		now() AS at FROM generate_series(1, 120000) g`)
	many := *f.relation(f.source, "shop.many")
	for _, format := range []files.Format{files.CSV, files.JSONL, files.Parquet} {
		before, peak, rows := held(), uint64(0), 0
		check.Must(f, f.source.Within(t.Context(), []exports.Relation{many}, exports.Scope{}, func(s *exports.Snapshot) error {
			columns, err := s.Columns(t.Context(), &many, format)
			if err != nil {
				return err
			}
			w, err := files.NewWriter(format, io.Discard, columns)
			if err != nil {
				return err
			}
			err = s.Each(t.Context(), &many, func(row []files.Value) error {
				if rows++; rows%5000 == 0 {
					peak = max(peak, held())
				}
				return w.Write(row)
			})
			if err != nil {
				return err
			}
			return w.Close()
		}))
		if peak = max(peak, before) - before; rows != count || peak > text/3 {
			t.Errorf("%s: %d rows of %d bytes took %d bytes of memory", format, rows, text, peak)
		}
		t.Logf("%s: %d KB", format, peak>>10)
	}
}

// held is the memory in use after a collection.
func held() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
