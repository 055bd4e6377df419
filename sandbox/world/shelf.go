package world

// maxHeld bounds the stored orders, in indices over all of them: 24 MB.
const maxHeld = 6_000_000

// shelf stores orders as long as there is room; the least recently used goes first. Its zero value
// is empty.
type shelf struct {
	held  map[Query]*heldOrder
	size  int // indices over all of them
	asked int // moves with each use
}

type heldOrder struct {
	version int // of the table when the order was made
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

// put stores an order for its query and replaces the former one.
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
