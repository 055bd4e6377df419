package world_test

import (
	"runtime"
	"testing"
	"time"

	"sluice/sandbox/world"
)

const (
	million = 1_000_000
	perPage = 200
)

// big returns a world of a number of records. With -short (make bench QUICK=1) it has a twentieth
// of them: the benchmarks run, but measure little.
func big(records int) *world.World {
	if testing.Short() {
		records /= 20
	}
	return world.New(world.Settings{
		Seed: 1, Records: records, Zone: time.UTC, Anchor: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Organization: "60012345678",
	})
}

// page writes one page of bills; pages count from 1.
func page(dst []byte, w *world.World, query world.Query, n int, form world.Form) []byte {
	order := w.Order(query)
	dst = dst[:0]
	for _, i := range order[min(len(order), (n-1)*perPage):min(len(order), n*perPage)] {
		dst = w.AppendRecord(dst, query.Kind, int(i), form)
	}
	return dst
}

func byCreation() world.Query { return world.Query{Kind: world.Bills, Sort: "created_time"} }

func byModification() world.Query {
	return world.Query{Kind: world.Bills, Sort: "last_modified_time", Ascending: true}
}

func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		big(million)
	}
}

func BenchmarkNewFiveMillion(b *testing.B) {
	for b.Loop() {
		big(5 * million)
	}
}

// BenchmarkFirstPage includes making the order.
func BenchmarkFirstPage(b *testing.B) {
	for name, query := range map[string]world.Query{
		"created": byCreation(), "modified": byModification(),
		"name":   {Kind: world.Payments, Sort: "vendor_name", Ascending: true},
		"filter": {Kind: world.Items, Sort: "created_time", Since: time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC).Unix()},
	} {
		b.Run(name, func(b *testing.B) {
			w := big(million)
			for b.Loop() {
				w.Forget()
				page(nil, w, query, 1, world.Headers)
			}
		})
	}
}

func BenchmarkPages(b *testing.B) {
	w := big(million)
	for name, form := range map[string]world.Form{"full": world.Full, "headers": world.Headers} {
		for kindName, kind := range map[string]world.Kind{
			"bills": world.Bills, "items": world.Items, "payments": world.Payments, "notes": world.CreditNotes,
		} {
			b.Run(kindName+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				var body []byte
				n := 0
				for b.Loop() {
					n = n%200 + 1
					body = page(body, w, world.Query{Kind: kind, Sort: "created_time"}, n, form)
				}
				b.SetBytes(int64(len(body)))
			})
		}
	}
}

// BenchmarkPageAfterEdit measures a page after a record changed, with the update of the order.
func BenchmarkPageAfterEdit(b *testing.B) {
	for name, query := range map[string]world.Query{"created": byCreation(), "modified": byModification()} {
		b.Run(name, func(b *testing.B) {
			w := big(million)
			var body []byte
			n := 0
			for b.Loop() {
				n++
				w.Edit(world.Bills, n*7919%w.Len(world.Bills), int64(1_800_000_000+n))
				body = page(body, w, query, 1+n%200, world.Headers)
			}
		})
	}
}

// BenchmarkHeld makes a world and two orders of it, and reports how many bytes of memory they hold
// for each byte of the records' text.
func BenchmarkHeld(b *testing.B) {
	held := func() float64 {
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return float64(stats.HeapAlloc)
	}
	for b.Loop() {
		before := held()
		w := big(million)
		body := page(nil, w, byCreation(), 10, world.Full)
		page(nil, w, byModification(), 10, world.Full)
		text := float64(len(body)) / perPage * float64(w.Len(world.Bills)+w.Len(world.Items)+w.Len(world.Payments)+w.Len(world.CreditNotes))
		b.ReportMetric((held()-before)/text, "held/text")
		runtime.KeepAlive(w)
	}
}
