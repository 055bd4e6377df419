package outside

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// remembered is how many changing secrets are known at once. If there are more, the least recently
// used are forgotten. It suffices for the access tokens, old and new, of hundreds of organizations.
const remembered = 512

// Scrubber removes the secrets in force from texts. It stores keyed hashes of their parts only,
// never a secret itself. It is safe for concurrent use; nil knows no secret.
type Scrubber struct {
	seed maphash.Seed
	used atomic.Uint64

	mu sync.RWMutex
	// parts counts, for the hash of each part, the secrets that have it; lengths counts the parts
	// of each length.
	parts   map[uint64]int
	lengths [run + 1]int
	known   map[uint64]*secret
	passing int
}

// secret is what is stored of one secret.
type secret struct {
	parts []part
	// stays says that the secret is never forgotten; used orders the secrets by their last use.
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

// Keep makes secrets known for the life of the process: those of the configuration and the
// environment.
func (s *Scrubber) Keep(secrets ...string) {
	for _, text := range secrets {
		s.learn(text, true)
	}
}

// Know makes a changing secret known: an access token, or a refresh token that upstream sent.
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

// again records the use of a known secret and reports whether there is nothing more to learn about
// it.
func (s *Scrubber) again(key uint64, stays bool, now uint64) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	one, known := s.known[key]
	if known {
		one.used.Store(now)
	}
	return known && (one.stays || !stays)
}

// forget drops the least recently used secrets if there are too many.
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

// partsOf returns the parts of all spellings of a secret, each once.
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

// Scrub replaces each secret in a text by [redacted], and so each run of at least twelve characters
// of one. It finds every spelling: raw, hex, base64, percent escapes, JSON escapes, upper case. It
// leaves everything else as it is.
func (s *Scrubber) Scrub(text string) string {
	if s == nil || len(text) < shortest {
		return text
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	for range depth { // the text around a removed secret may hold another one
		found := s.find(text)
		if len(found) == 0 {
			break
		}
		text = without(text, found)
	}
	return text
}

// A long text is searched in windows that overlap, so that memory is bounded.
const (
	window  = 64 << 10
	overlap = 4 << 10
)

// find returns the places of a text that have to be replaced, in order.
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

// within returns the places of one window.
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
		for _, t := range v.taken {
			next, _ := slices.BinarySearch(v.at, t.to)
			if more := s.behind(t, folded[next:]); more > 0 {
				found = append(found, span{t.from, v.place(next + more)})
			}
		}
	}
	return found
}

// behind says how far a secret goes in what follows an escape, if it begins in what the escape took;
// 0 if none does.
func (s *Scrubber) behind(t taken, follows string) int {
	end := fold(t.text)
	for length, many := range s.lengths {
		for i := 0; many > 0 && i < len(end); i++ {
			more := length - len(end[i:])
			if more > 0 && more <= len(follows) && s.parts[maphash.String(s.seed, end[i:]+follows[:more])] > 0 {
				return more
			}
		}
	}
	return 0
}

// without replaces the places by [redacted]; places that touch become one.
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

// Format implements fmt.Formatter, so that the hashes are never printed either.
func (*Scrubber) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, "[scrubber]") // a formatter cannot report an error
}

const (
	// run is the length of the parts of a secret that are searched for. A shorter part is of no use
	// to an attacker, and the program's own words could contain it.
	run = 12
	// shortest is the least length of a secret that is searched for at all.
	shortest = 8
)

// spellings returns the ways to write a secret: as it is, in hex, and in base64 of both alphabets
// at every offset within the encoded text. Percent and backslash escapes are decoded in the text
// instead (views.go). Upper and lower case count as equal.
func spellings(secret string) []string {
	found := []string{fold(secret), fold(strings.ToUpper(secret)), fold(strings.ToLower(secret)), hex.EncodeToString([]byte(secret))}
	if strings.Contains(secret, " ") {
		found = append(found, fold(strings.ReplaceAll(secret, " ", "+"))) // of a form, and of an address's query
	}
	const bits, group = 6, 3 // of a character of base64; its bytes come in groups of three
	for before := range group {
		padded := append(make([]byte, before), secret...)
		first, end := (before*8+bits-1)/bits, len(padded)*8/bits // those of the characters that nothing else has a part in
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			found = append(found, fold(alphabet.EncodeToString(padded)[first:end]))
		}
	}
	return found
}

// wordlike reports whether a secret is so short and plain that the program's own words may contain
// it. To hide it would hide what the program says. A password of fewer than twelve letters can be
// guessed anyway.
func wordlike(secret string) bool {
	return len(secret) < shortest || len(secret) < run && !strings.ContainsFunc(secret, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// fold makes ASCII letters lower case.
func fold(text string) string {
	out := []byte(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return string(out)
}
