package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// row is one row of a document's endpoint table.
type row struct{ document, service, call, variant string }

// documented reads testdata/rows.tsv, a transcript of the tables' rows. Networks come from a
// sentence below a table, organizations from Shared conventions.
func documented(tb testing.TB) []row {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "rows.tsv"))
	if err != nil {
		tb.Fatal(err)
	}
	var rows []row
	for line := range strings.Lines(string(data)) {
		fields := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "")
		rows = append(rows, row{document: fields[0], service: fields[1], call: fields[2], variant: fields[3]})
	}
	return rows
}

// root returns the root of a service (docs/upstream.md U2). Chat, authorization and notifications
// have whole paths in their tables.
func root(service string) string {
	return map[string]string{
		"accounting": "/books/v3", "invoicing": "/invoice/v3", "billing": "/billing/v1", "inventory": "/inventory/v1",
	}[service]
}

// pattern returns a pattern for the calls of a row: <…> and {…} match one segment.
func pattern(service, call string) *regexp.Regexp {
	method, path, _ := strings.Cut(call, " ")
	path = regexp.QuoteMeta(root(service) + path)
	path = regexp.MustCompile(`<[^>]*>|\\\{[^}]*\\\}`).ReplaceAllString(path, `[^/?]+`)
	return regexp.MustCompile("^" + method + " " + path + "$")
}

// calls reports whether a step of a case calls its row.
func (c testCase) calls(service string, s step) bool {
	return pattern(service, c.Row).MatchString(s.Send)
}

// Every row has a case, every case has its row, and each case calls it.
func TestEveryRowHasACase(t *testing.T) {
	t.Parallel()
	rows := documented(t)
	cases := map[row]int{}
	for _, f := range readFiles(t, "rows") {
		for _, c := range f.Cases {
			for _, r := range rows {
				if r.document == f.Document && r.service == f.Service && r.call == c.Row && strings.HasPrefix(c.Variant, r.variant) {
					cases[r]++
				}
			}
			called := false
			for _, s := range c.Steps {
				called = called || c.calls(f.Service, s)
			}
			if !called {
				t.Errorf("%s: case %s %s does not call its row", f.name, c.Row, c.Variant)
			}
		}
	}
	for _, r := range rows {
		if cases[r] == 0 {
			t.Errorf("document %s, %s: no case for %s %s", r.document, r.service, r.call, r.variant)
		}
	}
	const counted = 70 // counted by hand, in the three documents.
	if len(rows) != counted {
		t.Errorf("%d rows, counted %d in the documents", len(rows), counted)
	}
}

// Every row refuses a valid token with another scope: 403 in chat (docs/upstream.md U69), 401 with
// code 57 elsewhere (U64). Notifications answer the code OAUTH_SCOPE_MISMATCH or the like; no
// document describes it.
func TestScopes(t *testing.T) {
	t.Parallel()
	for _, f := range readFiles(t, "rows") {
		for _, c := range f.Cases {
			if c.Scope == "" || c.Variant != "" {
				continue
			}
			t.Run(f.name+"/"+c.name(), func(t *testing.T) {
				t.Parallel()
				useless := "SvcChat.Channels.READ"
				if f.Service == "chat" {
					useless = "SvcBooks.contacts.READ"
				}
				poor := newCaller(t, c.World, useless)
				for _, s := range c.Steps {
					if !c.calls(f.Service, s) {
						continue
					}
					s.Send = regexp.MustCompile(`\$\{\w+\}`).ReplaceAllString(s.Send, "1")
					s.Send = strings.Replace(s.Send, root(f.Service)+"/1", root(f.Service)+"/"+module, 1)
					s.Query, s.Body = nil, nil
					if f.Service == "chat" {
						s.Send = strings.Replace(s.Send, "/network/1/", "/network/"+network+"/", 1)
						s.Query = map[string]string{"fields": "chat_id"}
					}
					got, err := poor.do(t.Context(), s)
					if err != nil {
						t.Fatal(err)
					}
					if diffs := refusal(f.Service).differences(poor, got); len(diffs) > 0 {
						t.Errorf("%s with scope %s: %s\nanswer: %d %.300s", s.Send, useless, strings.Join(diffs, ", "), got.status, got.body)
					}
				}
			})
		}
	}
}

func refusal(service string) step {
	switch service {
	case "chat":
		return step{Status: 403, Answer: []byte(`{"code":"$string","message":"$text"}`)}
	case "notifications":
		return step{Status: 401, Answer: []byte(`{"code":"$any","message":"$text"}`)}
	default:
		return step{Status: 401, Answer: []byte(`{"code":57,"message":"$text"}`)}
	}
}

// Every row of the three documents' error tables is provoked, except two statuses of the chat
// service. 201 and 204 belong to calls that create or answer nothing, and the document shows no
// such call of that service (docs/upstream.md U250 to U253).
func TestEveryErrorIsProvoked(t *testing.T) {
	t.Parallel()
	provoked := map[string]bool{
		// limits_test.go: they need many calls at once, or a day.
		"2 accounting 45": true, "2 accounting 1070": true, "3 inventory 45": true, "3 inventory 1070": true,
	}
	for _, f := range readFiles(t, "errors") {
		for _, c := range f.Cases {
			provoked[f.Document+" "+f.Service+" "+c.Row] = true
		}
	}
	for _, row := range []string{
		"1 chat 200", "1 chat 400", "1 chat 401", "1 chat 403", "1 chat 404", "1 chat 405", "1 chat 406", "1 chat 429", "1 chat 500",
		"1 notifications MANDATORY_NOT_FOUND", "1 notifications INVALID_DATA", "1 notifications EXPECTED_FIELD_MISSING",
		"1 notifications AMBIGUITY_DURING_PROCESSING", "1 notifications DEPENDENT_FIELD_MISSING",
		"2 accounting 44", "2 accounting 45", "2 accounting 1070", "3 inventory 44", "3 inventory 45", "3 inventory 1070",
		// docs/upstream.md U33, U64 and U65.
		"2 accounting code 57", "2 accounting code 14", "2 accounting code 5", "2 accounting code 1002", "2 accounting code 6024 or 6041",
		"1 authorization invalid_code", "1 authorization Access Denied",
	} {
		if !provoked[row] {
			t.Errorf("nothing provokes %s", row)
		}
	}
}
