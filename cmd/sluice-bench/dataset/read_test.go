package dataset_test

import (
	"fmt"
	"testing"
	"time"

	"sluice/cmd/sluice-bench/dataset"
	"sluice/pipeline/upstream/body"
	"sluice/schema"
	"sluice/schema/record"
)

// BenchmarkRead measures the cost of reading an item: finding it in its page, and normalizing it.
func BenchmarkRead(b *testing.B) {
	const records = 1000
	resource := &dataset.Service().Resources[0]
	n, err := record.New(resource, time.UTC)
	if err != nil {
		b.Fatal(err)
	}
	data := fmt.Appendf(nil, `{"code":0,"message":"success","%s":[`, resource.Key)
	for n := range records {
		data = append(dataset.Append(data, resource, n, 0), ',')
	}
	data = fmt.Appendf(data[:len(data)-1], `],"page_context":{"page":1,"per_page":%d,"has_more_page":false}}`, records)
	b.Run("items/find", func(b *testing.B) {
		for b.Loop() {
			find(b, resource, data)
		}
		perRecord(b, records)
	})
	b.Run("items/normalize", func(b *testing.B) {
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

func perRecord(b *testing.B, records int) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(records), "ns/record")
}

func find(b *testing.B, resource *schema.Resource, data []byte) [][]byte {
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
