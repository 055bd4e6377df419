package crashpoints

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
)

// statement is one execution.
type statement struct {
	// sql is its text with single blanks.
	sql string
	// start is where its message begins in the bytes of the last read; 0 if it began earlier.
	start int
}

// stream is the state of one connection; the zero value is a new connection.
type stream struct {
	started  bool
	rest     []byte
	prepared map[string]string
	portals  map[string]string
	copying  string
}

// head is the length of a message's type and length.
const head = 5

// read takes the next bytes and returns the statements whose messages end in them.
func (s *stream) read(data []byte) []statement {
	before := len(s.rest)
	s.rest = append(s.rest, data...)
	var found []statement
	at := 0
	for {
		skip := 1
		if !s.started {
			skip = 0 // the first message has no type
		}
		if len(s.rest)-at < skip+4 {
			break
		}
		size := skip + int(binary.BigEndian.Uint32(s.rest[at+skip:]))
		if size < skip+4 || len(s.rest)-at < size {
			break
		}
		message := s.rest[at : at+size]
		if !s.started {
			s.started = true
		} else if sql := s.executed(message[0], message[head:]); sql != "" {
			found = append(found, statement{sql, max(0, at-before)})
		}
		at += size
	}
	s.rest = append(s.rest[:0], s.rest[at:]...)
	return found
}

// executed returns the text that a message executes, "" if it executes none.
func (s *stream) executed(kind byte, body []byte) string {
	if s.prepared == nil {
		s.prepared, s.portals = make(map[string]string), make(map[string]string)
	}
	first, rest, _ := bytes.Cut(body, []byte{0})
	second, _, _ := bytes.Cut(rest, []byte{0})
	switch kind {
	case 'Q':
		text := plain(string(first))
		if strings.HasPrefix(strings.ToUpper(text), "COPY ") {
			s.copying = text
		}
		return text
	case 'P':
		s.prepared[string(first)] = plain(string(second))
	case 'B':
		s.portals[string(first)] = s.prepared[string(second)]
	case 'E':
		return s.portals[string(first)]
	case 'c':
		return s.copying + " (its end)"
	}
	return ""
}

var blanks = regexp.MustCompile(`\s+`)

func plain(sql string) string { return strings.TrimSpace(blanks.ReplaceAllString(sql, " ")) }

// named matches the comment that a code generator puts before a statement of the queue.
var named = regexp.MustCompile(`^-- name: \w+ :\w+ `)

// reads reports whether a statement only reads, so that a kill there has no effect. A call of one
// of sluice's functions may write.
func reads(sql string) bool {
	upper := strings.ToUpper(named.ReplaceAllString(sql, ""))
	reading := strings.HasPrefix(upper, "SELECT") || strings.HasPrefix(upper, "SHOW") || strings.HasPrefix(upper, "--") || sql == ""
	return reading && !strings.Contains(upper, "FOR UPDATE") && !ours.MatchString(sql)
}

var ours = regexp.MustCompile(`(sluice|notifications)\.\w+\(|pg_notify|pg_advisory`)
