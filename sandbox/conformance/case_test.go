package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file is one file of cases: a section of a document.
type file struct {
	// Document and Section locate the quotes.
	Document string `json:"document"`
	Section  string `json:"section"`
	// Service is the name in the control paths of the sandbox.
	Service string     `json:"service"`
	Cases   []testCase `json:"cases"`

	name string
}

// testCase is one row of a document's table, or one condition of its error tables.
type testCase struct {
	// Row is the row: method and path as the document writes them, or the status or code of an
	// error table.
	Row string `json:"row"`
	// Variant tells cases of one row apart.
	Variant string `json:"variant,omitempty"`
	// Quote is the passage, letter by letter.
	Quote string `json:"quote"`
	// Scope is the one scope that the row asks for: the calls use a token with no other. "" uses a
	// token with every scope.
	Scope string `json:"scope,omitempty"`
	// World configures the sandbox.
	World world  `json:"world,omitzero"`
	Steps []step `json:"steps"`
}

// world is the configuration of a case's sandbox, where it matters.
type world struct {
	// Limits enforces the limits of docs/upstream.md U40 to U44; they are off otherwise.
	Limits bool `json:"limits,omitempty"`
	// Strict refuses forms that live services accept beyond the documents.
	Strict bool   `json:"strict,omitempty"`
	Plan   string `json:"plan,omitempty"`
}

// step is one call and its answer. Texts may hold ${name} for a value that an earlier step kept.
type step struct {
	// Send is method and path. A path of the accounting family gets the organization in the place
	// where its service requires it.
	Send string `json:"send"`
	// Times repeats the call; the last answer counts. 0 is once.
	Times  int               `json:"times,omitempty"`
	Query  map[string]string `json:"query,omitempty"`
	Header map[string]string `json:"header,omitempty"`
	Body   json.RawMessage   `json:"body,omitempty"`
	Form   map[string]string `json:"form,omitempty"` // as a browser sends it
	File   *upload           `json:"file,omitempty"`
	// Without omits parts that are sent otherwise: "organization", "token".
	Without []string `json:"without,omitempty"`

	Status int `json:"status"`
	// Answer is a pattern: see match.
	Answer json.RawMessage `json:"answer,omitempty"`
	// Text is the whole body, TextHas are parts of it, for answers other than JSON.
	Text    *string  `json:"text,omitempty"`
	TextHas []string `json:"text_has,omitempty"`
	// Headers are patterns, too; "$absent" requires that the header is missing.
	Headers map[string]string `json:"headers,omitempty"`
	// Assumed says whether the header X-Sandbox-Assumed is expected: true where the document shows
	// only a part of the call, false where it shows all of it.
	Assumed *bool `json:"assumed,omitempty"`
	// Keep notes values for later steps: name to the path in the answer, as in "bills.0.bill_id";
	// "redirect:code" is a query parameter of the Location, and "match:…" the first group of a
	// regular expression, for pages.
	Keep map[string]string `json:"keep,omitempty"`
}

// upload is a file in a multipart form; the body goes along as the field JSONString.
type upload struct {
	Part    string `json:"part"`
	Name    string `json:"name"`
	Content string `json:"content"`
}

// readFiles reads all files of a folder below testdata.
func readFiles(tb testing.TB, folder string) []file {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", folder, "*.json"))
	if err != nil || len(names) == 0 {
		tb.Fatalf("no cases in testdata/%s: %v", folder, err)
	}
	slices.Sort(names)
	files := make([]file, 0, len(names))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			tb.Fatal(err)
		}
		one, err := decodeFile(data)
		if err != nil {
			tb.Fatalf("%s: %v", name, err)
		}
		one.name = strings.TrimSuffix(filepath.Base(name), ".json")
		files = append(files, one)
	}
	return files
}

// decodeFile is strict: an unknown key, a missing quote or a step without a status is an error of
// the file.
func decodeFile(data []byte) (file, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	var f file
	if err := decoder.Decode(&f); err != nil {
		return file{}, fmt.Errorf("decode cases: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return file{}, errors.New("decode cases: data follows the object")
	}
	if f.Document == "" || f.Section == "" || f.Service == "" || len(f.Cases) == 0 {
		return file{}, errors.New("document, section, service and cases are required")
	}
	for _, c := range f.Cases {
		if err := c.check(); err != nil {
			return file{}, fmt.Errorf("case %q: %w", c.Row+" "+c.Variant, err)
		}
	}
	return f, nil
}

func (c testCase) check() error {
	if c.Row == "" || c.Quote == "" || len(c.Steps) == 0 {
		return errors.New("row, quote and steps are required")
	}
	for n, s := range c.Steps {
		method, path, _ := strings.Cut(s.Send, " ")
		switch {
		case method == "" || !strings.HasPrefix(path, "/"):
			return fmt.Errorf("step %d: send %q is no method and path", n, s.Send)
		case s.Status == 0:
			return fmt.Errorf("step %d: status is required", n)
		case s.Answer == nil && s.Text == nil && s.TextHas == nil && s.Headers == nil:
			return fmt.Errorf("step %d expects nothing of its answer", n)
		}
		for _, w := range s.Without {
			if w != "organization" && w != "token" {
				return fmt.Errorf("step %d: without %q: organization or token", n, w)
			}
		}
	}
	return nil
}

func TestDecoderIsStrict(t *testing.T) {
	t.Parallel()
	const good = `{"document":"2","section":"s","service":"accounting","cases":[{"row":"r","quote":"q","steps":[{"send":"GET /a","status":200,"answer":{}}]}]}`
	if _, err := decodeFile([]byte(good)); err != nil {
		t.Errorf("refused what is right: %v", err)
	}
	for change, bad := range map[string]string{
		"an unknown key":        strings.Replace(good, `"status":200`, `"status":200,"stauts":1`, 1),
		"no quote":              strings.Replace(good, `"quote":"q"`, `"quote":""`, 1),
		"no status":             strings.Replace(good, `"status":200`, `"status":0`, 1),
		"nothing expected":      strings.Replace(good, `,"answer":{}`, ``, 1),
		"no path":               strings.Replace(good, `GET /a`, `GET`, 1),
		"something behind":      good + "{}",
		"an unknown word":       strings.Replace(good, `"status":200`, `"status":200,"without":["scope"]`, 1),
		"a section is missing":  strings.Replace(good, `"section":"s"`, `"section":""`, 1),
		"not a case at all":     strings.Replace(good, `[{"row"`, `[],"x":[{"row"`, 1),
		"a step is no object":   strings.Replace(good, `{"send":"GET /a","status":200,"answer":{}}`, `1`, 1),
		"the service is absent": strings.Replace(good, `"service":"accounting",`, ``, 1),
	} {
		if _, err := decodeFile([]byte(bad)); err == nil {
			t.Errorf("%s was taken: %s", change, bad)
		}
	}
}
