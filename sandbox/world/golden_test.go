package world_test

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"testing"
	"time"

	"sluice/sandbox/world"
)

// digests are the digests of all records of the worlds of TestSameSeedSameBytes, by kind. They date
// from before records were written fast: the same seed must give the same bytes, right or wrong.
var digests = map[world.Kind]string{
	world.Accounts:        "c81de3af7f85b4c59029eaf88b156449",
	world.Payments:        "dcf4b0daf9075a12f6a38cc987b9fdc5",
	world.Items:           "30bde8a297cdcfe815039ed312ad4f73",
	world.Bills:           "31312f8710c9041c5512da60ce3d74b7",
	world.CreditNotes:     "7595b5eb2b2754e784ffd562309e6277",
	world.Chats:           "ca29f21cdf807ec417bb7477b1987b96",
	world.Locations:       "ea26c7b3654cccd8d414651c0d0ca9c8",
	world.Taxes:           "e2ae79b125fa268095ee5a30ed62552d",
	world.Currencies:      "d1eb5ab01f7b415812150b565b150caf",
	world.CompositeItems:  "795531d5db71572d8b7e91381a0d46c8",
	world.OpeningBalances: "980f9a856b1ffea9d5491a51eb3a9f7c",
	world.Adjustments:     "c77da1df0bb41370634883c59d57bf2c",
	world.ModuleRecords:   "cb7de581bd1cd951f8d06e329a57c0a4",
	world.ContactPersons:  "18bcf2a81ab7465b1305ead1f10e1388",
	world.CustomerPersons: "d9d7639420af58559a60e2ad558986a3",
	world.Expenses:        "8663df49c8c653d9a5c314a8a9742a44",
	world.Channels:        "ce0a1e7315050955d29b1c37c12806f5",
	world.NetworkChannels: "de5bc96993a6d92365c728ff20dadcbb",
	world.NetworkChats:    "9c185a763ff459e7908bab17b160a6d3",
	world.Organizations:   "eb50da6ae030826b2e68ee7b45bb3341",
}

// TestSameSeedSameBytes writes worlds of several zones, sizes and manners in all forms, also after
// edits, payments and silent changes.
func TestSameSeedSameBytes(t *testing.T) {
	t.Parallel()
	sums := map[world.Kind]hash.Hash{}
	for _, kind := range append(everyKind(), world.Organizations) {
		sums[kind] = sha256.New()
	}
	// New_York and Lord_Howe change their clocks, the latter by half an hour; in Sao_Paulo and
	// Cairo the skipped hour begins a day.
	for n, zone := range []string{"UTC", "Asia/Kolkata", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo"} {
		w := world.New(goldenSettings(t, n, zone))
		digest(w, sums, 1)
		happen(w, int64(n))
		digest(w, sums, 1)
	}
	large := goldenSettings(t, 0, "Asia/Kolkata")
	large.Records = 1_000_000
	digest(world.New(large), sums, 499)
	for kind, sum := range sums {
		if got := hex.EncodeToString(sum.Sum(nil)[:16]); got != digests[kind] {
			t.Errorf("kind %d: digest %q, was %q", kind, got, digests[kind])
		}
	}
}

func goldenSettings(t *testing.T, n int, name string) world.Settings {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return world.Settings{
		Seed: int64(40 + n), Records: 900, Zone: zone, Anchor: time.Date(2026-5*(n/4), 1, 1, 0, 0, 0, 0, time.UTC),
		Demo: n%2 == 1, ChatEpoch: n%3 == 1, Modules: []string{"cm_a", "cm_b"}, Networks: []string{"n1", "n2"},
		Organization: "60012345678", Number: n,
	}
}

// digest writes every step-th record of each kind in each form.
func digest(w *world.World, sums map[world.Kind]hash.Hash, step int) {
	var record []byte
	for kind, sum := range sums {
		for i := 0; i < w.Len(kind); i += step {
			for _, form := range []world.Form{world.Full, world.Headers, world.Single, world.WithoutBalance} {
				record = w.AppendRecord(record[:0], kind, i, form)
				sum.Write(append(record, '\n'))
			}
		}
	}
}

// happen changes the world in several ways.
func happen(w *world.World, seed int64) {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC).Unix()
	for _, i := range w.Pick(world.Bills, 60, seed, nil) {
		w.Settle(i, i%3 == 0, at+int64(i))
	}
	for _, i := range w.Pick(world.CreditNotes, 20, seed, nil) {
		w.Apply(i, at+int64(i))
	}
	for _, kind := range append(everyKind(), world.Organizations) {
		for round := range int64(3) { // some of them more than once.
			for _, i := range w.Pick(kind, 40, seed+round, nil) {
				at += 86_399 // the days and hours differ.
				w.Amend(kind, i, at)
				w.Whisper(kind, i)
			}
		}
		for range 5 {
			if w.Growing(kind) {
				w.Insert(kind, at)
			}
		}
	}
	for range 9 {
		w.Settle(w.Receive(at), false, at+86_400)
	}
}
