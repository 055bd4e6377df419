package outside

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// remembered is how many secrets that come and go are known at once, of which those that were not
// used for longest are forgotten: the access tokens of as many organizations, old and new.
const remembered = 512

// Scrubber takes the secrets in force out of texts. It does not hold them: what it keeps are keyed
// hashes of their parts. It is safe for concurrent use; nil knows no secret.
type Scrubber struct {
	seed maphash.Seed
	used atomic.Uint64

	mu sync.RWMutex
	// parts are the hashes of all parts of all secrets, with the number of secrets that have it;
	// lengths how many parts of a length there are.
	parts   map[uint64]int
	lengths [run + 1]int
	known   map[uint64]*secret
	passing int
}

// secret is what is kept of one.
type secret struct {
	parts []part
	// stays says that it is never forgotten; used grows with every use of one.
	stays bool
	used  atomic.Uint64
}

// part is a run of characters of one of a secret's spellings.
type part struct {
	hash   uint64
	length int
}

// NewScrubber makes a scrubber that knows no secret yet.
func NewScrubber() *Scrubber {
	return &Scrubber{seed: maphash.MakeSeed(), parts: map[uint64]int{}, known: map[uint64]*secret{}}
}

// Keep makes secrets known for good: those of the configuration and the environment.
func (s *Scrubber) Keep(secrets ...string) {
	for _, text := range secrets {
		s.learn(text, true)
	}
}

// Know makes a secret known that others follow: an access token, a refresh token that upstream
// gave.
func (s *Scrubber) Know(text string) { s.learn(text, false) }

func (s *Scrubber) learn(text string, stays bool) {
	if s == nil || wordlike(text) {
		return
	}
	key, now := maphash.String(s.seed, text), s.used.Add(1)
	if s.again(key, stays, now) {
		return
	}
	parts := s.partsOf(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	if one, known := s.known[key]; known {
		if stays && !one.stays {
			one.stays = true
			s.passing--
		}
		return
	}
	one := &secret{parts: parts, stays: stays}
	one.used.Store(now)
	s.known[key] = one
	for _, p := range parts {
		s.parts[p.hash]++
		s.lengths[p.length]++
	}
	if !stays {
		s.passing++
		s.forget()
	}
}

// again notes the use of a secret that is known, and says whether there is nothing more to learn.
func (s *Scrubber) again(key uint64, stays bool, now uint64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	one, known := s.known[key]
	if known {
		one.used.Store(now)
	}
	return known && (one.stays || !stays)
}

// forget drops the secrets that were not used for longest, if there are too many.
func (s *Scrubber) forget() {
	for s.passing > remembered {
		var oldest uint64
		for key, one := range s.known {
			if !one.stays && (oldest == 0 || one.used.Load() < s.known[oldest].used.Load()) {
				oldest = key
			}
		}
		for _, p := range s.known[oldest].parts {
			if s.parts[p.hash]--; s.parts[p.hash] == 0 {
				delete(s.parts, p.hash)
			}
			s.lengths[p.length]--
		}
		delete(s.known, oldest)
		s.passing--
	}
}

// partsOf returns the runs of the spellings of a secret, each once.
func (s *Scrubber) partsOf(text string) []part {
	var parts []part
	for _, spelling := range spellings(text) {
		length := min(len(spelling), run)
		for i := 0; i+length <= len(spelling); i++ {
			parts = append(parts, part{hash: maphash.String(s.seed, spelling[i:i+length]), length: length})
		}
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.hash, b.hash) })
	return slices.CompactFunc(parts, func(a, b part) bool { return a.hash == b.hash })
}

// span is a piece of a text.
type span struct{ from, to int }

// Scrub gives a text with [redacted] in the place of each secret, and of each run of at least
// twelve characters of one, however it is spelled: raw, in hex, in base64, with percent signs,
// escaped as JSON, in large letters. It leaves everything else as it is.
func (s *Scrubber) Scrub(text string) string {
	if s == nil || len(text) < shortest {
		return text
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for range depth { // what stands around a secret may be read otherwise without it
		found := s.find(text)
		if len(found) == 0 {
			break
		}
		text = without(text, found)
	}
	return text
}

// A long text is looked through in windows that overlap, so that memory is bounded.
const (
	window  = 64 << 10
	overlap = 4 << 10
)

// find gives the places of a text that have to go, in order.
func (s *Scrubber) find(text string) []span {
	if len(s.parts) == 0 {
		return nil
	}
	var found []span
	for from := 0; ; from += window - overlap {
		to := min(from+window, len(text))
		for _, piece := range s.within(text[from:to]) {
			found = append(found, span{from + piece.from, from + piece.to})
		}
		if to == len(text) {
			break
		}
	}
	slices.SortFunc(found, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	return found
}

// within gives the places of one window.
func (s *Scrubber) within(text string) []span {
	var found []span
	for _, v := range views(text) {
		folded := fold(v.text)
		for length, many := range s.lengths {
			for i := 0; many > 0 && i+length <= len(folded); i++ {
				if s.parts[maphash.String(s.seed, folded[i:i+length])] > 0 {
					found = append(found, span{v.place(i), v.place(i + length)})
				}
			}
		}
	}
	return found
}

// without replaces the places, those that touch as one.
func without(text string, found []span) string {
	var out strings.Builder
	at := 0
	for i := 0; i < len(found); {
		gap := found[i]
		for i++; i < len(found) && found[i].from <= gap.to; i++ {
			gap.to = max(gap.to, found[i].to)
		}
		out.WriteString(text[at:gap.from])
		out.WriteString(redacted)
		at = gap.to
	}
	out.WriteString(text[at:])
	return out.String()
}

// Format implements fmt.Formatter: hashes are not printed either.
func (*Scrubber) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "[scrubber]") // a formatter cannot report an error
}
