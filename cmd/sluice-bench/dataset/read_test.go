package dataset_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"sluice/cmd/sluice-bench/dataset"
	"sluice/pipeline/upstream/body"
	"sluice/schema"
	"sluice/schema/record"
)

// What reading costs of what is measured end to end, a record: finding it in its body, and normalizing it.
func BenchmarkRead(b *testing.B) {
	const records = 1000
	for _, c := range []struct {
		name string
		data func(b *testing.B, resource *schema.Resource) []byte
		find func(b *testing.B, resource *schema.Resource, data []byte) [][]byte
	}{
		{"items", func(_ *testing.B, resource *schema.Resource) []byte {
			return dataset.AppendPage(nil, resource, 1, records, records, dataset.First)
		}, inPage},
		{"chats", func(b *testing.B, _ *schema.Resource) []byte {
			b.Helper()
			var lines bytes.Buffer
			if err := dataset.WriteLines(&lines, records); err != nil {
				b.Fatal(err)
			}
			return lines.Bytes()
		}, inLines},
	} {
		resource, err := dataset.Find(dataset.Service(), c.name)
		if err != nil {
			b.Fatal(err)
		}
		n, err := record.New(resource, time.UTC)
		if err != nil {
			b.Fatal(err)
		}
		data := c.data(b, resource)
		b.Run(c.name+"/find", func(b *testing.B) {
			for b.Loop() {
				c.find(b, resource, data)
			}
			perRecord(b, records)
		})
		b.Run(c.name+"/normalize", func(b *testing.B) {
			raws := c.find(b, resource, data)
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
	rows, _, err := body.NewRows(bytes.NewReader(data), dataset.Fields(resource))
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
