package world

// maxHeld bounds the orders that are held, in indices over all of them: 24 MB.
const maxHeld = 6_000_000

// shelf holds orders for as long as there is room; what was not asked for longest
// goes first. Its zero value is empty.
type shelf struct {
	held  map[Query]*heldOrder
	size  int // indices over all of them
	asked int // moves with each question
}

type heldOrder struct {
	version int // of the table that it is the order of
	indices []int32
	counted int // indices that size counts
	used    int
}

func (s *shelf) get(query Query) (*heldOrder, bool) {
	held, found := s.held[query]
	if found {
		s.asked++
		held.used = s.asked
	}
	return held, found
}

// put holds an order, in the place of what was held for its query.
func (s *shelf) put(query Query, order *heldOrder) {
	if s.held == nil {
		s.held = map[Query]*heldOrder{}
	}
	s.asked++
	order.used = s.asked
	s.size += len(order.indices) - order.counted
	order.counted = len(order.indices)
	s.held[query] = order
	for s.size > maxHeld && len(s.held) > 1 || len(s.held) > maxOrders {
		s.drop()
	}
}

// maxOrders bounds their number: filters by time differ from call to call.
const maxOrders = 256

func (s *shelf) drop() {
	var oldest Query
	least := s.asked + 1
	for query, order := range s.held {
		if order.used < least {
			oldest, least = query, order.used
		}
	}
	s.size -= s.held[oldest].counted
	delete(s.held, oldest)
}
