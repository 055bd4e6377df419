package goods_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"sluice/cmd/sluice/bench/goods"
	"sluice/pipeline/upstream/body"
	"sluice/schema"
	"sluice/schema/normalize"
)

// What reading costs of what is measured end to end, a record: finding it in its body, and normalizing it.
func BenchmarkRead(b *testing.B) {
	const records = 1000
	for name, find := range map[string]func(b *testing.B, resource *schema.Resource, data []byte) [][]byte{"items": inPage, "chats": inLines} {
		resource, err := goods.Find(goods.Service(), name)
		if err != nil {
			b.Fatal(err)
		}
		n, err := normalize.New(resource, time.UTC)
		if err != nil {
			b.Fatal(err)
		}
		data := goods.AppendPage(nil, resource, 1, records, records, goods.First)
		if name == "chats" {
			var lines bytes.Buffer
			if err := goods.WriteLines(&lines, records); err != nil {
				b.Fatal(err)
			}
			data = lines.Bytes()
		}
		b.Run(name+"/find", func(b *testing.B) {
			for b.Loop() {
				find(b, resource, data)
			}
			perRecord(b, records)
		})
		b.Run(name+"/normalize", func(b *testing.B) {
			raws := find(b, resource, data)
			for b.Loop() {
				for _, raw := range raws {
					if _, err := n.Record(raw); err != nil {
						b.Fatal(err)
					}
				}
			}
			perRecord(b, records)
		})
	}
}

func perRecord(b *testing.B, records int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
}

func inPage(b *testing.B, resource *schema.Resource, data []byte) [][]byte {
	b.Helper()
	envelope, err := body.Parse(data)
	if err != nil {
		b.Fatal(err)
	}
	page, err := envelope.Page(resource.Key)
	if err != nil {
		b.Fatal(err)
	}
	return page.Records
}

func inLines(b *testing.B, resource *schema.Resource, data []byte) [][]byte {
	b.Helper()
	fields := make([]string, len(resource.Columns))
	for i := range fields {
		fields[i] = resource.Columns[i].Wire
	}
	rows, _, err := body.NewRows(bytes.NewReader(data), fields)
	if err != nil {
		b.Fatal(err)
	}
	var raws [][]byte
	for {
		raw, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return raws
		}
		if err != nil {
			b.Fatal(err)
		}
		raws = append(raws, raw)
	}
}
