package faults

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sluice/sandbox/faults/deform"
)

// act is one kind of fault and its effects: any of the following, in this order.
type act struct {
	Kind

	// say answers instead of the service.
	say func(http.ResponseWriter, *http.Request, *Fault)
	// ask changes the request to the service.
	ask func(*http.Request)
	// spoil changes the records of a page with at least one record.
	spoil func(Target, [][]byte, deform.Strike) [][]byte
	// body changes a whole body; csv ones change exports only.
	body func([]byte, *http.Request) []byte
	csv  bool
	// head changes the headers.
	head func(http.Header, *Fault)
	// send sends a whole answer; nil leaves that to net/http.
	send func(http.ResponseWriter, *http.Request, *Fault, *captured)
}

// play applies a fault to one call.
func (a act) play(w http.ResponseWriter, r *http.Request, fault *Fault, serve func(http.ResponseWriter)) {
	if a.say != nil {
		a.say(w, r, fault)
		return
	}
	if a.ask != nil {
		a.ask(r)
	}
	if a.head != nil {
		a.head(w.Header(), fault)
	}
	if a.body == nil && a.send == nil {
		serve(w)
		return
	}
	whole := &captured{header: w.Header()}
	serve(whole)
	if isCSV := strings.HasPrefix(w.Header().Get("Content-Type"), "text/csv"); a.body != nil && isCSV == a.csv {
		changed := a.body(slices.Clone(whole.body.Bytes()), r)
		whole.body.Reset()
		_, _ = whole.body.Write(changed)
	}
	if a.send != nil {
		a.send(w, r, fault, whole)
		return
	}
	send(w, whole)
}

// send sends a whole answer unchanged.
func send(w http.ResponseWriter, whole *captured) {
	w.Header().Set("Content-Length", strconv.Itoa(whole.body.Len()))
	w.WriteHeader(whole.code())
	_, _ = w.Write(whole.body.Bytes()) // a client that left is no error
}

// find returns one of the kinds that RareKinds lists.
func find(kind string) (act, bool) {
	for _, acts := range groups() {
		for _, a := range acts {
			if a.Kind.Kind == kind {
				return a, true
			}
		}
	}
	return act{}, false
}

// RareKinds returns the kinds beyond those of CommonKinds.
func RareKinds() []Kind {
	var kinds []Kind
	for _, acts := range groups() {
		for _, a := range acts {
			kinds = append(kinds, a.Kind)
		}
	}
	return kinds
}

func groups() [][]act {
	return [][]act{pageActs(), timeActs(), answerActs(), travelActs(), recordActs(), exportActs(), tokenActs(), boundActs(), channelActs(), countActs()}
}

// Cache holds the answers that a stale cache repeats.
type Cache struct {
	mu     sync.Mutex
	bodies map[string][]byte
}

const mostKept = 256

// first returns the body stored first for an address, and stores this one if there is none.
func (k *Cache) first(address string, body []byte) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old, found := k.bodies[address]; found {
		return old
	}
	if k.bodies == nil {
		k.bodies = map[string][]byte{}
	}
	if len(k.bodies) < mostKept {
		k.bodies[address] = slices.Clone(body)
	}
	return body
}
