package adopt

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sluice/pipeline/warehouse/adoptions/foreign"
	"sluice/schema"
)

// ErrFiles says that a folder holds no file to adopt.
var ErrFiles = errors.New("no file ends with .jsonl or .ndjson")

// files are the lines of files with the records of one stream.
type files struct {
	name, where string
	lines       []line
	// bookmark is the earliest instant that the tap noted as its position; zero if it noted none.
	bookmark time.Time
	// sorted are the lines by the key of sortedBy.
	sorted   []line
	sortedBy string
}

// line is where a record stands.
type line struct {
	file      string
	from, to  int64
	number    int
	extracted time.Time
	deleted   bool
	key       string
}

// envelope are the keys of a line around its record: of a Singer message, and of the wrap that
// jsonl files can have.
type envelope struct {
	Type        string          `json:"type"`
	Stream      string          `json:"stream"`
	Record      json.RawMessage `json:"record"`
	Extracted   time.Time       `json:"time_extracted"`
	ExtractedAt time.Time       `json:"extracted_at"`
	Value       struct {
		Bookmarks map[string]map[string]any `json:"bookmarks"`
	} `json:"value"`
}

// Files returns the streams in the files of a folder as origins: one for each file with a record a
// line or, for messages of a Singer tap, one for each stream in all files together.
func Files(folder string, messages bool) ([]Origin, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("--files: %w", err)
	}
	streams := map[string]*files{}
	found := false
	for _, entry := range entries {
		ending := filepath.Ext(entry.Name())
		if entry.IsDir() || ending != ".jsonl" && ending != ".ndjson" {
			continue
		}
		found = true
		path := filepath.Join(folder, entry.Name())
		read := func(l line, text []byte) error { return addMessage(streams, folder, l, text) }
		if !messages {
			of := &files{name: strings.TrimSuffix(entry.Name(), ending), where: path}
			streams[path] = of
			read = func(l line, text []byte) error {
				of.add(l, text)
				return nil
			}
		}
		if err := eachLine(path, read); err != nil {
			return nil, err
		}
	}
	if !found {
		return nil, fmt.Errorf("--files %s: %w", folder, ErrFiles)
	}
	origins := make([]Origin, 0, len(streams))
	for _, name := range slices.Sorted(maps.Keys(streams)) {
		origins = append(origins, streams[name])
	}
	return origins, nil
}

// eachLine reads the lines of a file. What is known of the extraction of each is that it was not
// later than the file's last change.
func eachLine(path string, each func(l line, text []byte) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("--files: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("--files: %w", err)
	}
	reader := bufio.NewReader(file)
	at := int64(0)
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) > 0 {
			l := line{file: path, from: at, to: at + int64(len(text)), number: number, extracted: info.ModTime().UTC()}
			if err := each(l, text); err != nil {
				return err
			}
		}
		at += int64(len(text))
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading %s: %w", path, err)
		}
	}
}

// add takes a line with a record.
func (f *files) add(l line, text []byte) {
	var around envelope
	if record := recordOf(text); len(record) != len(bytes.TrimSpace(text)) && json.Unmarshal(text, &around) == nil && !around.ExtractedAt.IsZero() {
		l.extracted = around.ExtractedAt.UTC()
	}
	f.lines = append(f.lines, l)
}

// addMessage takes a message of a Singer tap: its record, or its position.
func addMessage(streams map[string]*files, folder string, l line, text []byte) error {
	var message envelope
	if err := json.Unmarshal(text, &message); err != nil {
		return fmt.Errorf("%s, line %d is no message of a Singer tap: %w", l.file, l.number, err)
	}
	stream := func(name string) *files {
		if streams[name] == nil {
			streams[name] = &files{name: name, where: folder + ": " + name}
		}
		return streams[name]
	}
	switch message.Type {
	case "RECORD":
		if message.Stream == "" || len(message.Record) == 0 {
			return fmt.Errorf("%s, line %d: a message RECORD without stream or record", l.file, l.number)
		}
		if !message.Extracted.IsZero() {
			l.extracted = message.Extracted.UTC()
		}
		var noted map[string]json.RawMessage
		if json.Unmarshal(message.Record, &noted) == nil {
			gone := noted["_sdc_deleted_at"]
			l.deleted = len(gone) > 0 && string(gone) != "null" && string(gone) != `""`
		}
		of := stream(message.Stream)
		of.lines = append(of.lines, l)
	case "STATE":
		for name, positions := range message.Value.Bookmarks {
			for _, position := range positions {
				stream(name).note(position)
			}
		}
	case "":
		return fmt.Errorf("%s, line %d is no message of a Singer tap: it has no type (--from jsonl reads plain records)", l.file, l.number)
	}
	return nil
}

// note takes the last position that the tap noted.
func (f *files) note(position any) {
	text, _ := position.(string)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		f.bookmark = at.UTC()
	}
}

// recordOf is the record of a line: the line itself, or what it has under record, if it has nothing
// else but what belongs to the wrap.
func recordOf(text []byte) []byte {
	text = bytes.TrimSpace(text)
	var keys map[string]json.RawMessage
	if json.Unmarshal(text, &keys) != nil {
		return text
	}
	record := bytes.TrimSpace(keys["record"])
	if len(record) == 0 || record[0] != '{' {
		return text
	}
	for key := range keys {
		switch key {
		case "record", "extracted_at", "type", "stream", "time_extracted", "version":
		default:
			return text
		}
	}
	return record
}

func (f *files) String() string { return f.where }
func (f *files) Stream() string { return f.name }
func (*files) Unusable() string { return "" }
func (*files) Losses() []string { return nil }
func (*files) Typed() bool      { return false }
func (l *line) order(o *line) int {
	return cmp.Or(strings.Compare(l.file, o.file), cmp.Compare(l.number, o.number))
}

func (f *files) Figures(_ context.Context, resource *schema.Resource) (foreign.Figures, error) {
	figures := foreign.Figures{Rows: int64(len(f.lines)), Keyed: len(f.lines) == 0}
	if err := f.sort(resource.ID); err != nil {
		return figures, err
	}
	for i := range f.sorted {
		l := &f.sorted[i]
		if l.extracted.After(figures.LastRead) {
			figures.LastRead = l.extracted
		}
		if figures.LastBegan.IsZero() || l.extracted.Before(figures.LastBegan) {
			figures.LastBegan = l.extracted // of the first run in the files, which is the safe side
		}
		figures.Keyed = figures.Keyed || !strings.HasPrefix(l.key, " ")
	}
	if !f.bookmark.IsZero() && f.bookmark.Before(figures.LastBegan) {
		figures.LastBegan = f.bookmark
	}
	return figures, nil
}

// sort puts the lines in the order of their keys, and of one key the line first that was read last.
// A record without a key has one of its own, which begins with a space.
func (f *files) sort(wire string) error {
	if f.sortedBy == wire {
		return nil
	}
	f.sorted = slices.Clone(f.lines)
	err := f.read(f.sorted, func(i int, record []byte) {
		l := &f.sorted[i]
		l.key = keyOf(record, wire)
		if l.key == "" {
			l.key = " " + l.file + " " + strconv.Itoa(l.number)
		}
	})
	if err != nil {
		return err
	}
	slices.SortFunc(f.sorted, func(a, b line) int {
		return cmp.Or(strings.Compare(a.key, b.key), b.extracted.Compare(a.extracted), b.order(&a))
	})
	f.sortedBy = wire
	return nil
}

// keyOf is the identifier of a record as text; "" if it has none.
func keyOf(record []byte, wire string) string {
	var keys map[string]json.RawMessage
	if json.Unmarshal(record, &keys) != nil {
		return ""
	}
	var text string
	switch value := keys[wire]; {
	case len(value) == 0, string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		return strings.TrimSpace(text)
	default:
		return string(value)
	}
}

func (f *files) Page(_ context.Context, resource *schema.Resource, after string, limit int) ([]foreign.Row, error) {
	if err := f.sort(resource.ID); err != nil {
		return nil, err
	}
	from, _ := slices.BinarySearchFunc(f.sorted, after, func(l line, key string) int {
		if l.key > key {
			return 1
		}
		return -1
	})
	lines := f.sorted[from:min(from+limit, len(f.sorted))]
	rows := make([]foreign.Row, len(lines))
	err := f.read(lines, func(i int, record []byte) {
		rows[i] = foreign.Row{Key: lines[i].key, Extracted: lines[i].extracted, Deleted: lines[i].deleted, Data: record}
	})
	return rows, err
}

// read reads the records of lines, each file opened once.
func (f *files) read(lines []line, each func(i int, record []byte)) error {
	open := map[string]*os.File{}
	defer func() {
		for _, file := range open {
			_ = file.Close() // only read
		}
	}()
	for i := range lines {
		l := &lines[i]
		if open[l.file] == nil {
			file, err := os.Open(l.file)
			if err != nil {
				return fmt.Errorf("--files: %w", err)
			}
			open[l.file] = file
		}
		text := make([]byte, l.to-l.from)
		if _, err := open[l.file].ReadAt(text, l.from); err != nil {
			return fmt.Errorf("reading line %d of %s again: %w", l.number, l.file, err)
		}
		each(i, recordOf(text))
	}
	return nil
}
