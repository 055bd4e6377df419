package warehouse_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/pipeline"
	"sluice/pipeline/check"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/erasures"
	"sluice/pipeline/warehouse/warehousetest"
	"sluice/schema/record"
)

// sqlManyThings makes $2 things and their raw records of about 1,000 bytes, which hardly compress,
// in pages of 200.
var sqlManyThings = []string{ //nolint:gochecknoglobals // a constant
	`INSERT INTO shop.things (organization_id, thing_id, name, _content_hash, _call_id, _raw_position, _run_id, _first_seen_at, _changed_at)
		SELECT $1, (460000000000000000 + i)::text, 'Thing ' || i, sha256(i::text::bytea), i / 200 + 1, i % 200, 1, now(), clock_timestamp()
		FROM generate_series(0, $2 - 1) AS i`,
	`INSERT INTO sluice.raw_records (call_id, first_position, organization_id, service, resource, records, record_count)
		SELECT i / 200 + 1, 0, $1, 'shop', 'things', '[' || string_agg(format('{"thing_id":"%s","note":"%s"}', 460000000000000000 + i, note), ',' ORDER BY i) || ']',
			count(*)
		FROM generate_series(0, $2 - 1) AS i, LATERAL (SELECT string_agg(md5(i::text || j), '') AS note FROM generate_series(1, 29) AS j) AS n GROUP BY i / 200`,
}

// BenchmarkErase erases one record of a million, with a gigabyte of raw records:
// docs/performance.md has the figure.
func BenchmarkErase(b *testing.B) {
	records := 1_000_000
	if testing.Short() {
		records = 2_000
	}
	db := check.Sure(warehouse.Open(b.Context(), warehousetest.MigratedWith(b, "control", things), warehouse.Options{}))(b)
	b.Cleanup(db.Close)
	service := shop()
	stream := pipeline.Stream{Organization: organization, Service: service, Resource: &service.Resources[0]}
	check.Must(b, db.RegisterStreams(b.Context(), []warehouse.StreamSetting{{Key: stream.Key(), Every: time.Hour, Enabled: true}}))
	for _, statement := range sqlManyThings {
		check.Must(b, check.Failure(db.Pool().Exec(b.Context(), statement, organization, records)))
	}
	check.Must(b, check.Failure(db.Pool().Exec(b.Context(), `VACUUM ANALYZE`)))
	normalizer := check.Sure(record.New(stream.Resource, time.UTC))(b)
	for n := 0; b.Loop(); n++ {
		id := fmt.Sprint(460000000000000000 + n*397%records)
		receipt, err := db.Erase(b.Context(), &erasures.Subject{Stream: stream, Record: id, Is: func(raw []byte) bool {
			r, err := normalizer.Record(raw)
			return err == nil && r.ID == id
		}}, false)
		if err != nil || receipt.Places["rows"] != 1 || receipt.Places["raw records"] != 1 {
			b.Fatal(receipt.Places, err)
		}
	}
}
