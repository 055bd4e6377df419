package access

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"sluice/pipeline/engine/config/secrets"
)

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
