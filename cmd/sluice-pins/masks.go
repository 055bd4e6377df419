package main

import (
	"regexp"
	"strings"
	"time"
)

// mask hides what comes out otherwise each time. An empty table means every table.
type mask struct {
	table, column, reason string
}

// columnMasks is the list of columns that are masked; null stays to be told from a value. Besides,
// each time near that of the recording is masked wherever it stands, in rows as in printed text:
// see masker. All else is compared as it is, numbers of runs and calls included.
func columnMasks() []mask {
	const random, sealed, process = "drawn at random", "sealed with a random nonce", "numbers of processes of the machine"
	return []mask{
		{"sluice.tokens", "credential", "made of the address of the sandbox, whose port is free to be another one"},
		{"sluice.tokens", "sealed", sealed},
		{"sluice.tokens", "refresh", sealed},
		{"sluice.lateness", "peak", "how late a record came after the time it carries, in seconds of the clock"},
		{"sluice.processes", "name", process},
		{"sluice.processes", "lock_number", random},
		{"sluice.processes", "lock_pid", process},
		{"river.river_job", "id", "a ticket that is already there draws a number all the same, if two ask for it at once"},
		{"river.river_job", "attempted_by", process},
		{"river.river_job", "metadata", "carries times and numbers of the queue's own"},
	}
}

// tablesLeftOut are not recorded at all.
func tablesLeftOut() []mask {
	return []mask{
		{"sluice.live_calls", "", "a row goes a minute after its call"},
		{"sluice.spent", "", "a row per minute and hour of the clock; the calls themselves are recorded"},
		{"river.river_leader", "", "who of the processes leads, for some seconds"},
		{"river.river_notification", "", "messages between processes"},
		{"river.river_queue", "", "whether a process has looked at it lately"},
	}
}

// hashColumns cover all that a record carried. They are recorded but where the record carries a
// time of the recording.
func hashColumns() []string {
	return []string{"_content_hash", "_detail_hash", "_payload_hash", "record_hash"}
}

var (
	// hashInside is such a column in a record that is kept as JSON, timeInside a time that the
	// record itself carries there.
	hashInside = regexp.MustCompile(`"(_content_hash|_detail_hash|_payload_hash)": ("[^"]*"|-?\d+)`)
	timeInside = regexp.MustCompile(`"[a-z][a-z_]*": "(` + maskedTime + `|` + maskedDay + `)"`)
)

// numberOfOrder is a column with a number of a run, a call or a ticket. They are masked only where
// streams are read in any order.
var numberOfOrder = regexp.MustCompile(`^id$|(^|_)(run|call|run_id|call_id|first_call|last_call)$|^(version|unique_key|fence)$`)

// The words that stand for what is masked.
const (
	maskedTime = "<time>"
	maskedDay  = "<day>"
	maskedHash = "<hash of a time>"
	maskedAny  = "<masked>"
)

// masker masks times near that of the recording, and addresses.
type masker struct {
	from, to time.Time
	replace  *strings.Replacer
}

// newMasker masks times from two days before the recording on, up to more than a year after it. The
// made-up companies end with 2025, so their own times stay.
func newMasker(began time.Time) *masker {
	return &masker{from: began.Add(-48 * time.Hour), to: began.Add(500 * 24 * time.Hour), replace: strings.NewReplacer()}
}

// with masks words, too: pairs of a word and what stands for it.
func (m *masker) with(pairs ...string) *masker {
	return &masker{from: m.from, to: m.to, replace: strings.NewReplacer(pairs...)}
}

var (
	timePattern = regexp.MustCompile(
		`(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?( ?(Z|UTC|IST|[A-Z]{3,4}|[+-]\d\d(:?\d\d)?))?)?`)
	// Formatted times, as custom modules have them beside the others.
	formattedPattern = regexp.MustCompile(`\b\d\d (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4}( \d\d:\d\d [AP]M)?`)
	epochPattern     = regexp.MustCompile(`\b1[6-9]\d{8}(\d{3})?\b`)
)

// times masks times and days near that of the recording, in any form that the program or the
// sandbox write.
func (m *masker) times(text string) string {
	text = timePattern.ReplaceAllStringFunc(text, func(found string) string {
		day, err := time.Parse(time.DateOnly, found[:len(time.DateOnly)])
		switch {
		case err != nil || day.Before(m.from.Truncate(24*time.Hour)) || day.After(m.to):
			return found
		case len(found) == len(time.DateOnly):
			return maskedDay
		default:
			return maskedTime
		}
	})
	text = formattedPattern.ReplaceAllStringFunc(text, func(found string) string {
		day, err := time.Parse("02 Jan 2006", found[:len("02 Jan 2006")])
		if err != nil || day.Before(m.from.Truncate(24*time.Hour)) || day.After(m.to) {
			return found
		}
		return maskedTime
	})
	return epochPattern.ReplaceAllStringFunc(text, func(found string) string {
		seconds := int64(0)
		for _, digit := range found[:10] {
			seconds = seconds*10 + int64(digit-'0')
		}
		if at := time.Unix(seconds, 0); at.Before(m.from) || at.After(m.to) {
			return found
		}
		return maskedTime
	})
}

// wordPattern is what printed text says about how long something takes, took or will take from now
// on. Stated intervals stay.
type wordPattern struct {
	pattern *regexp.Regexp
	with    string
	reason  string
}

const someTime = `(\d+(\.\d+)? ?(ms|µs|ns|min|s|m|h|d)( \d+ ?(min|s|m|h))*)`

var wordPatterns = []wordPattern{
	{regexp.MustCompile(`\bin ` + someTime + `\b`), "in <so long>", "from now on"},
	{regexp.MustCompile(someTime + ` ago\b`), "<so long> ago", "up to now"},
	{regexp.MustCompile(`oldest ` + someTime + `\b`), "oldest <so long>", "up to now"},
	{regexp.MustCompile(`seen up to ` + someTime + ` after`), "seen up to <so long> after", "how late a record came"},
	{regexp.MustCompile(`\b\d+\.\d s\b`), "<so long>", "how long a run took"},
	{regexp.MustCompile(`\b\d+ s\b`), "<so long>", "how long a sync took or will take, out of how long calls took"},
	{regexp.MustCompile(`v\d+\.\d+\.\d+-\d{14}-[0-9a-f]{12}(\+dirty)?`), "<version>", "the revision in the version"},
	{regexp.MustCompile(`"revision": "[0-9a-f]{40}"`), `"revision": "<revision>"`, "the commit that was built"},
	{regexp.MustCompile(`go1\.\d+(\.\d+)?\b`), "<go>", "the compiler"},
	{regexp.MustCompile(`/\S*/sluice-pg-\d+`), "<folder>", "the folder of a private Postgres"},
	{regexp.MustCompile(`("[a-z_]*(seconds|took|millis|elapsed|age|duration)[a-z_]*": )-?\d+(\.\d+)?(e[+-]\d+)?`), "$1<so long>", "the same in JSON"},
}

// printed masks printed text. Where something was masked columns are no wider than before by
// chance: blanks count as one.
func (m *masker) printed(text string) string {
	text = m.replace.Replace(text)
	masked := m.times(text)
	for _, p := range wordPatterns {
		masked = p.pattern.ReplaceAllString(masked, p.with)
	}
	if masked == text {
		return text
	}
	var b strings.Builder
	for _, line := range lines(masked) {
		rest := strings.TrimLeft(line, " ")
		b.WriteString(line[:len(line)-len(rest)])
		b.WriteString(strings.Join(strings.Fields(rest), " "))
		b.WriteByte('\n')
	}
	return b.String()
}
