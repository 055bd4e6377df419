package migrations

import (
	"regexp"
	"slices"
	"strings"
)

// statements cuts a text of SQL at the semicolons outside of literals, comments and bodies. Each
// statement comes as it stands in the text, without comments around it.
func statements(text string) []string {
	var all []string
	var b strings.Builder
	s := scanner{rest: text}
	for {
		piece, kind := s.next()
		switch {
		case kind == isOver:
			if left := strings.TrimSpace(b.String()); left != "" {
				all = append(all, left)
			}
			return all
		case kind == isEnd:
			if whole := strings.TrimSpace(b.String()); whole != "" {
				all = append(all, whole)
			}
			b.Reset()
		case kind == isComment && strings.TrimSpace(b.String()) == "":
		default:
			b.WriteString(piece)
		}
	}
}

// plain returns a statement on one line, without comments, and with empty literals and bodies: what
// decides about its kind.
func plain(statement string) string {
	var b strings.Builder
	s := scanner{rest: statement}
	for {
		piece, kind := s.next()
		switch kind {
		case isOver:
			return strings.Join(strings.Fields(b.String()), " ")
		case isComment:
			b.WriteByte(' ')
		case isLiteral:
			b.WriteString("''")
		default:
			b.WriteString(piece)
		}
	}
}

// pieceKind is the kind of a piece of SQL.
type pieceKind int

const (
	isCode pieceKind = iota
	isComment
	isLiteral
	isEnd
	isOver
)

// token finds what begins a text.
var token = regexp.MustCompile(`^(?s:(--[^\n]*)|(/\*.*?\*/)|([eE]'(?:[^'\\]|\\.|'')*')|('(?:[^']|'')*')|"(?:[^"]|"")*"|\$(\w*)\$|(;)|\w+|.)`)

// scanner cuts SQL into pieces.
type scanner struct {
	rest string
	// depth counts the blocks of a parsed body that are open: BEGIN ATOMIC and CASE.
	depth int
	last  string
}

// next returns the next piece; it is empty at the end.
func (s *scanner) next() (string, pieceKind) {
	found := token.FindStringSubmatchIndex(s.rest)
	if found == nil {
		return "", isOver
	}
	is := func(group int) bool { return found[2*group] >= 0 }
	size, kind := found[1], isCode
	switch piece := s.rest[:size]; {
	case is(1), is(2):
		kind = isComment
	case is(3), is(4):
		kind = isLiteral
	case is(5): // from $tag$ to the next $tag$
		kind = isLiteral
		if end := strings.Index(s.rest[size:], piece); end >= 0 {
			size += end + len(piece)
		} else {
			size = len(s.rest)
		}
	case is(6):
		if s.depth == 0 {
			kind = isEnd
		}
	default:
		s.word(strings.ToUpper(piece))
	}
	piece := s.rest[:size]
	s.rest = s.rest[size:]
	return piece, kind
}

// word notes the blocks of a body that is parsed when its function is made.
func (s *scanner) word(word string) {
	switch {
	case strings.TrimSpace(word) == "":
		return
	case word == "ATOMIC" && s.last == "BEGIN":
		s.depth = 1
	case s.depth > 0 && word == "CASE":
		s.depth++
	case s.depth > 0 && word == "END":
		s.depth--
	}
	s.last = word
}

// The levels of locks of tables, the weakest first: their names in SQL.
const (
	accessShare          = "ACCESS SHARE"
	rowExclusive         = "ROW EXCLUSIVE"
	shareUpdateExclusive = "SHARE UPDATE EXCLUSIVE"
	share                = "SHARE"
	shareRowExclusive    = "SHARE ROW EXCLUSIVE"
	accessExclusive      = "ACCESS EXCLUSIVE"
)

// levels returns all levels, the weakest first.
func levels() []string {
	return []string{accessShare, "ROW SHARE", rowExclusive, shareUpdateExclusive, share, shareRowExclusive, "EXCLUSIVE", accessExclusive}
}

// conflicts returns the levels that a lock waits for, as the documentation of Postgres lists them
// (13.3, table-level lock modes).
func conflicts(level string) []string {
	at := slices.Index(levels(), level)
	switch level {
	case accessExclusive:
		return levels()
	case share:
		return []string{rowExclusive, shareUpdateExclusive, shareRowExclusive, "EXCLUSIVE", accessExclusive}
	case shareUpdateExclusive, shareRowExclusive:
		first := map[string]int{shareUpdateExclusive: at, shareRowExclusive: slices.Index(levels(), rowExclusive)}[level]
		return levels()[first:]
	case rowExclusive:
		return levels()[slices.Index(levels(), share):]
	case accessShare:
		return []string{accessExclusive}
	default:
		return nil
	}
}

// What a statement does to the rows of a table.
const (
	// WorkCatalog changes the catalog only, however large the table is.
	WorkCatalog = "catalog"
	// WorkScan reads all rows under the lock.
	WorkScan = "scan"
	// WorkRewrite writes all rows and indexes again under the lock.
	WorkRewrite = "rewrite"
	// WorkRows reads or writes rows as a query does.
	WorkRows = "rows"
	// WorkUnknown is that of a block or a function, which can do anything.
	WorkUnknown = "unknown"
)

// need is a lock that a statement takes on a table that is there before it, and its work there. An
// unknown one has neither table nor level.
type need struct{ table, level, work string }

const (
	ident  = `(?:"(?:[^"]|"")+"|[A-Za-z_][\w$]*)`
	tabled = `(` + ident + `(?:\.` + ident + `)?)`
)

// kinds are the kinds of statements, the first that matches counts. Statements that match none take
// no lock of a table.
var kinds = []struct {
	match       *regexp.Regexp
	level, work string
}{
	{regexp.MustCompile(`(?i)^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?` + ident + ` ON ` + tabled), shareUpdateExclusive, WorkScan},
	{regexp.MustCompile(`(?i)^CREATE (?:UNIQUE )?INDEX (?:IF NOT EXISTS )?(?:` + ident + ` )?ON (?:ONLY )?` + tabled), share, WorkScan},
	{regexp.MustCompile(`(?i)^CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER .*? ON ` + tabled), shareRowExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^CREATE OR REPLACE VIEW ` + tabled), accessExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^COMMENT ON (?:TABLE|VIEW) ` + tabled), shareUpdateExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^COMMENT ON COLUMN (` + ident + `\.` + ident + `)\.` + ident), shareUpdateExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^DROP (?:TABLE|VIEW) (?:IF EXISTS )?` + tabled), accessExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^ALTER VIEW (?:IF EXISTS )?` + tabled), accessExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^TRUNCATE (?:TABLE )?(?:ONLY )?` + tabled), accessExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^LOCK (?:TABLE )?(?:ONLY )?` + tabled), accessExclusive, WorkCatalog},
	{regexp.MustCompile(`(?i)^(?:INSERT INTO|UPDATE(?: ONLY)?|DELETE FROM(?: ONLY)?|MERGE INTO) ` + tabled), rowExclusive, WorkRows},
	{regexp.MustCompile(`(?i)^WITH `), "", WorkUnknown},
	{regexp.MustCompile(`(?i)^(?:DO|SELECT|CALL)\b`), "", WorkUnknown},
}

var (
	alterTable = regexp.MustCompile(`(?i)^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?` + tabled + ` (.*)$`)
	references = regexp.MustCompile(`(?i)\bREFERENCES ` + tabled)
	// constant finds a default that Postgres keeps once for all existing rows.
	constant = regexp.MustCompile(`(?i)\bDEFAULT (?:''|-?[\d.]+|true|false|null|now\(\)|current_\w+)(?:::[\w ]+)?(?:\[\])?(?: |$)`)
)

// needsOf returns the locks that a statement takes on tables that are there before it.
func needsOf(statement string) []need {
	text := plain(statement)
	if found := alterTable.FindStringSubmatch(text); found != nil {
		needs := []need{altering(found[1], found[2])}
		return append(needs, referred(text)...)
	}
	if strings.HasPrefix(strings.ToUpper(text), "CREATE TABLE") {
		return referred(text)
	}
	for i := range kinds {
		if found := kinds[i].match.FindStringSubmatch(text); found != nil {
			n := need{level: kinds[i].level, work: kinds[i].work}
			if n.level != "" {
				n.table = found[len(found)-1]
			}
			return []need{n}
		}
	}
	return nil
}

// referred returns the locks of tables that foreign keys refer to.
func referred(text string) []need {
	var needs []need
	for _, found := range references.FindAllStringSubmatch(text, -1) {
		needs = append(needs, need{table: found[1], level: shareRowExclusive, work: WorkCatalog})
	}
	return needs
}

// altering returns the strongest of the locks that the parts of an ALTER TABLE take, and their most
// work.
func altering(table, actions string) need {
	n := need{table: table, work: WorkCatalog}
	heavier := []string{WorkCatalog, WorkScan, WorkRewrite}
	for _, action := range actionsOf(actions) {
		level, work := ofAction(strings.ToUpper(action))
		if slices.Index(levels(), level) > slices.Index(levels(), n.level) {
			n.level = level
		}
		if slices.Index(heavier, work) > slices.Index(heavier, n.work) {
			n.work = work
		}
	}
	return n
}

// ofAction returns the lock and the work of one part of an ALTER TABLE, which is in capitals.
func ofAction(action string) (string, string) {
	has := func(words string) bool { return strings.Contains(action, words) }
	starts := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(action, w) })
	}
	named := starts("ADD CONSTRAINT", "ADD CHECK", "ADD FOREIGN KEY", "ADD PRIMARY KEY", "ADD UNIQUE")
	switch {
	case starts("SET (", "RESET (", "CLUSTER ON") || has(" SET STATISTICS "):
		return shareUpdateExclusive, WorkCatalog
	case starts("VALIDATE CONSTRAINT"):
		return shareUpdateExclusive, WorkScan
	case named && has("FOREIGN KEY"):
		return shareRowExclusive, scanUnless(has("NOT VALID"))
	case named:
		return accessExclusive, scanUnless(has("NOT VALID") || has("USING INDEX"))
	case starts("ADD"):
		return accessExclusive, ofColumn(action, has)
	case starts("ALTER") && (has(" TYPE ")):
		return accessExclusive, WorkRewrite
	case starts("ALTER") && has("SET NOT NULL"):
		return accessExclusive, WorkScan
	case starts("SET LOGGED", "SET UNLOGGED", "SET TABLESPACE", "SET ACCESS METHOD"):
		return accessExclusive, WorkRewrite
	default:
		return accessExclusive, WorkCatalog
	}
}

// ofColumn returns the work of a new column.
func ofColumn(action string, has func(string) bool) string {
	switch {
	case has("GENERATED ") || has(" DEFAULT ") && !constant.MatchString(action):
		return WorkRewrite
	case has("CHECK (") || has(" UNIQUE") || has("PRIMARY KEY"):
		return WorkScan
	default:
		return WorkCatalog
	}
}

func scanUnless(spared bool) string {
	if spared {
		return WorkCatalog
	}
	return WorkScan
}

// actionsOf cuts the parts of an ALTER TABLE at the commas outside of parentheses.
func actionsOf(text string) []string {
	var all []string
	depth, from := 0, 0
	for i, r := range text {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		case r == ',' && depth == 0:
			all = append(all, strings.TrimSpace(text[from:i]))
			from = i + 1
		}
	}
	return append(all, strings.TrimSpace(text[from:]))
}
