package access

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/sync/singleflight"

	"sluice/pipeline/engine/config/secrets"
)

const (
	// An address may fail so often at once, and then once in each interval.
	mostFailures    = 10
	failureInterval = 10 * time.Second
	// mostHashing is how many passwords are compared at once, each of which takes a processor for
	// a quarter of a second.
	mostHashing = 2
	// believed is how long a proven password needs no comparison after its last use.
	believed = 5 * time.Minute
)

// basic proves names by passwords, whose bcrypt hashes are in a file.
type basic struct {
	*Access

	// secret is drawn at the start: what is remembered of a password is of no use to others.
	secret   [sha256.Size]byte
	failures *limiter
	hashing  chan struct{}
	flights  singleflight.Group

	mu sync.Mutex
	// stamp changes when the file does; users are those of its last good reading.
	stamp string
	users users
	// proven are the last uses of proven credentials, by their HMAC.
	proven map[credentials]time.Time
}

// credentials is the HMAC of a name and a password.
type credentials [sha256.Size]byte

func newBasic(a *Access) (*basic, error) {
	b := &basic{
		Access: a, failures: newLimiter(a.now, mostFailures, failureInterval), hashing: make(chan struct{}, mostHashing),
		proven: make(map[credentials]time.Time), stamp: secrets.Stamp([]string{a.settings.Users}),
	}
	_, _ = rand.Read(b.secret[:]) // it never fails
	var err error
	b.users, err = readUsers(a.settings.Users)
	return b, err
}

func (b *basic) own(http.ResponseWriter, *http.Request) bool { return false }

// verdict is what became of a name and a password.
type verdict int

const (
	wrong verdict = iota
	right
	tooMany
)

func (b *basic) who(w http.ResponseWriter, r *http.Request) (person, bool) {
	name, password, given := r.BasicAuth()
	if !given {
		b.challenge(w, r, "This console asks for a name and a password.")
		return person{}, false
	}
	sum := hmac.New(sha256.New, b.secret[:])
	_, _ = sum.Write([]byte(name + "\x00" + password)) // a hash takes all
	key := credentials(sum.Sum(nil))
	present := b.present(r)
	if b.remembered(key) {
		return person{name: name}, true
	}
	from := subscriber(b.sender(r))
	// Requests of one page arrive together: one comparison serves all of them.
	flight := string(key[:]) + from + strconv.Itoa(present.reading)
	came, _, _ := b.flights.Do(flight, func() (any, error) { return b.compare(present, from, name, password), nil })
	switch came {
	case right:
		b.remember(key, present)
		b.signed(r, person{name: name}, false)
		return person{name: name}, true
	case tooMany:
		b.refused(r, "too many wrong passwords came from the sender")
		w.Header().Set("Retry-After", strconv.Itoa(int(failureInterval/time.Second)))
		b.show(w, r, http.StatusTooManyRequests, answer{
			Title: "Too many attempts", Text: "Too many wrong passwords came from your address. Wait some seconds.",
		})
	default:
		b.refused(r, "name and password do not match")
		b.challenge(w, r, "Name and password do not match.")
	}
	return person{}, false
}

// challenge asks for a name and a password.
func (b *basic) challenge(w http.ResponseWriter, r *http.Request, text string) {
	w.Header().Set("WWW-Authenticate", `Basic realm="sluice", charset="UTF-8"`)
	b.show(w, r, http.StatusUnauthorized, answer{Title: "Sign in", Text: text})
}

// compare compares a password with its hash. It counts as a failure before it begins, so attempts
// at once are no way around the limit. An unknown name costs as much work as a known one.
func (b *basic) compare(present users, from, name, password string) verdict {
	if !b.failures.take(from) {
		return tooMany
	}
	hash, known := present.hashes[name]
	if !known {
		hash = present.decoy
	}
	b.hashing <- struct{}{}
	err := bcrypt.CompareHashAndPassword(hash, []byte(password))
	<-b.hashing
	if err != nil || !known {
		return wrong
	}
	b.failures.give(from)
	return right
}

// present returns the users of the file as it is now. A changed file ends what is remembered; one
// with mistakes leaves the users before in force.
func (b *basic) present(r *http.Request) users {
	b.mu.Lock()
	defer b.mu.Unlock()
	stamp := secrets.Stamp([]string{b.settings.Users})
	if stamp == b.stamp {
		return b.users
	}
	b.stamp = stamp
	read, err := readUsers(b.settings.Users)
	if err != nil {
		b.log.WarnContext(r.Context(), "the console's file of users cannot be used: the users before stay in force", "error", err)
		return b.users
	}
	read.reading = b.users.reading + 1
	b.users = read
	clear(b.proven)
	b.log.InfoContext(r.Context(), "the console's file of users was read anew", "users", len(read.hashes))
	return b.users
}

// remembered reports whether credentials were proven a short while ago.
func (b *basic) remembered(key credentials) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	last, known := b.proven[key]
	now := b.now()
	if !known || now.Sub(last) > believed {
		delete(b.proven, key)
		return false
	}
	b.proven[key] = now
	return true
}

// remember notes that credentials are proven, unless the file has changed since the comparison.
func (b *basic) remember(key credentials, by users) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.proven) >= mostKnown {
		clear(b.proven)
	}
	if by.reading == b.users.reading {
		b.proven[key] = b.now()
	}
}

// The bounds of a hash's cost: a lower one is guessed too fast, a higher one keeps a processor busy
// for seconds.
const minCost, maxCost = 10, 15

// users are the people of a file, by name, with the hashes of their passwords.
type users struct {
	hashes map[string][]byte
	// decoy is the hash with the highest cost: an unknown name takes as long as a known one.
	decoy []byte
	// reading counts how often the file was read.
	reading int
}

// readUsers reads a file of users: a name, a colon and a bcrypt hash in each line; empty lines and
// lines that begin with # count for nothing. Its error has all mistakes, by their lines, and never
// quotes a line.
func readUsers(path string) (users, error) {
	text, err := secrets.ReadFile(path)
	if err != nil {
		return users{}, fmt.Errorf("console.users: %w", err)
	}
	read := users{hashes: make(map[string][]byte)}
	var mistakes []error
	number, highest := 0, 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, hash, _ := strings.Cut(line, ":")
		cost, wrong := judgeUser(name, hash)
		if _, twice := read.hashes[name]; twice && wrong == "" {
			wrong = "has a name that another line has"
		}
		if wrong != "" {
			mistakes = append(mistakes, fmt.Errorf("console.users: %s, line %d %s", path, number, wrong))
			continue
		}
		read.hashes[name] = []byte(hash)
		if cost > highest {
			highest, read.decoy = cost, []byte(hash)
		}
	}
	if len(mistakes) == 0 && len(read.hashes) == 0 {
		mistakes = append(mistakes, fmt.Errorf("console.users: %s has no user: add one with `htpasswd -nBC 12 NAME`", path))
	}
	return read, errors.Join(mistakes...)
}

// Users returns the names in a file of users, sorted. Its error has all mistakes, by their lines.
func Users(path string) ([]string, error) {
	read, err := readUsers(path)
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(read.hashes)), nil
}

// judgeUser returns the cost of a hash, or what is wrong with a line.
func judgeUser(name, hash string) (int, string) {
	cost, err := bcrypt.Cost([]byte(hash))
	switch {
	case !named(name):
		return 0, "has no name, or one with characters that cannot be printed"
	case err != nil:
		return 0, "has no bcrypt hash behind the colon: make the line with `htpasswd -nBC 12 NAME`"
	case cost < minCost || cost > maxCost:
		return 0, fmt.Sprintf("has a hash of cost %d, and %d to %d are allowed: make the line with `htpasswd -nBC 12 NAME`", cost, minCost, maxCost)
	default:
		return cost, ""
	}
}
