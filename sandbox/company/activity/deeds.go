package activity

import (
	"math/rand/v2"

	"sluice/sandbox/world"
)

const (
	tries    = 48  // before the search for a suitable record ends
	mostGone = 256 // deleted records that are remembered
	recent   = 400 // half of the events happen to one of this many newest records
)

// do simulates one event. Without a suitable record nothing happens.
func (a *Activity) do(w *world.World, e event, chance *rand.Rand) {
	switch e.what {
	case insert:
		a.insert(w, e.at, chance)
	case edit:
		if kind, i, ok := pick(w, chance, edited(), w.Live); ok {
			w.Amend(kind, i, e.at)
		}
	case whisper:
		if kind, i, ok := pick(w, chance, whispered(), w.Live); ok {
			w.Whisper(kind, i)
		}
	case remove:
		free := func(kind world.Kind, i int) bool { return w.Live(kind, i) && w.Free(kind, i) }
		if kind, i, ok := pick(w, chance, removed(), free); ok {
			w.Remove(kind, i)
			a.gone = append(a.gone[max(0, len(a.gone)+1-mostGone):], gone{kind, i})
		}
	case restore:
		if len(a.gone) > 0 {
			n := chance.IntN(len(a.gone))
			w.Restore(a.gone[n].kind, a.gone[n].index, e.at)
			a.gone = append(a.gone[:n], a.gone[n+1:]...)
		}
	case pay:
		part := chance.IntN(3) == 0 // one payment in three.
		for range tries {
			if _, i, ok := pick(w, chance, []world.Kind{world.Bills}, w.Live); ok {
				if _, paid := w.Settle(i, part, e.at); paid {
					return
				}
			}
		}
	case apply:
		for range tries {
			if _, i, ok := pick(w, chance, []world.Kind{world.CreditNotes}, w.Live); ok && w.Apply(i, e.at) {
				return
			}
		}
	}
}

func (a *Activity) insert(w *world.World, at int64, chance *rand.Rand) {
	kinds := inserted()
	kind := kinds[chance.IntN(len(kinds))]
	switch {
	case kind == world.Bills:
		w.Receive(at)
	case w.Growing(kind):
		w.Insert(kind, at)
	}
}

// pick chooses a kind and a suitable record of it; false if it finds none.
func pick(w *world.World, chance *rand.Rand, kinds []world.Kind, suits func(world.Kind, int) bool) (world.Kind, int, bool) {
	for range tries {
		kind := kinds[chance.IntN(len(kinds))]
		size := w.Len(kind)
		if size == 0 {
			continue
		}
		i := chance.IntN(size)
		if newest := min(size, recent); chance.IntN(2) == 0 { // half of it.
			i = size - 1 - i%newest
		}
		if suits(kind, i) {
			return kind, i, true
		}
	}
	return 0, 0, false
}

// The kinds of records with events; a repeated kind is chosen more often.
func inserted() []world.Kind {
	return []world.Kind{
		world.Bills, world.Bills, world.Bills, world.Items, world.Items, world.CreditNotes, world.CreditNotes, world.Expenses, world.Chats,
		world.Chats, world.CompositeItems, world.ModuleRecords, world.ContactPersons, world.CustomerPersons, world.Channels, world.Payments,
	}
}

func edited() []world.Kind {
	return append(inserted(), world.Accounts, world.Adjustments, world.Currencies, world.Locations, world.Taxes, world.OpeningBalances,
		world.NetworkChats, world.NetworkChannels)
}

func whispered() []world.Kind {
	return []world.Kind{
		world.Items, world.Items, world.Items, world.CompositeItems, world.Chats, world.Channels, world.Accounts,
		world.NetworkChats, world.NetworkChannels,
	}
}

func removed() []world.Kind {
	return []world.Kind{
		world.Bills, world.Bills, world.Items, world.CreditNotes, world.Payments, world.Expenses, world.CompositeItems, world.ModuleRecords,
		world.ContactPersons, world.CustomerPersons, world.Channels, world.Chats,
	}
}
