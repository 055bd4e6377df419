package conformance

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Every row of the documents' endpoint tables answers as its document describes.
func TestRows(t *testing.T) {
	t.Parallel()
	for _, f := range readFiles(t, "rows") {
		for _, c := range f.Cases {
			t.Run(f.name+"/"+c.name(), func(t *testing.T) {
				t.Parallel()
				c.run(t)
			})
		}
	}
}

// Every condition of the documents' error tables is answered as they describe.
func TestErrors(t *testing.T) {
	t.Parallel()
	for _, f := range readFiles(t, "errors") {
		for _, c := range f.Cases {
			t.Run(f.name+"/"+c.name(), func(t *testing.T) {
				t.Parallel()
				c.run(t)
			})
		}
	}
}

// name returns the name of a case's test; go test replaces slashes by its own rules.
func (c testCase) name() string {
	return strings.NewReplacer("/", "\u2215", " ", "_").Replace(strings.TrimSpace(c.Row + " " + c.Variant))
}

// run makes the calls of a case one after the other. The first wrong answer ends it, since later
// steps depend on it.
func (c testCase) run(t *testing.T) {
	t.Helper()
	c.runAt(t, newCaller(t, c.World, c.Scope))
}

func (c testCase) runAt(t *testing.T, caller *caller) {
	t.Helper()
	for n, s := range c.Steps {
		if diffs, got := caller.make(t, s); len(diffs) > 0 {
			t.Fatalf("step %d, %s (document: %s)\n  %s\nanswer: %d %.600s", n, s.Send, c.Quote, strings.Join(diffs, "\n  "), got.status, got.body)
		}
	}
}

// make makes the calls of a step and compares the last answer with it.
func (c *caller) make(t *testing.T, s step) ([]string, answered) {
	t.Helper()
	var got answered
	for range max(1, s.Times) {
		var err error
		if got, err = c.do(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	diffs := s.differences(c, got)
	if err := c.keep(s, got); err != nil {
		diffs = append(diffs, err.Error())
	}
	return diffs, got
}

// play is make for tests without a case: a wrong answer fails them and they go on.
func (c *caller) play(t *testing.T, s step) {
	t.Helper()
	if diffs, got := c.make(t, s); len(diffs) > 0 {
		t.Errorf("%s\n  %s\nanswer: %d %.600s", s.Send, strings.Join(diffs, "\n  "), got.status, got.body)
	}
}

// differences compares an answer with its step.
func (s step) differences(c *caller, got answered) []string {
	var diffs []string
	if got.status != s.Status {
		diffs = append(diffs, fmt.Sprintf("status %d, want %d", got.status, s.Status))
	}
	if assumed := got.header.Get("X-Sandbox-Assumed"); s.Assumed != nil && (assumed != "") != *s.Assumed {
		diffs = append(diffs, fmt.Sprintf("header X-Sandbox-Assumed is %q, want one: %t", assumed, *s.Assumed))
	}
	for name, pattern := range s.Headers {
		diffs = append(diffs, matchHeader(name, c.fill(pattern), got)...)
	}
	if s.Text != nil && *s.Text != string(got.body) {
		diffs = append(diffs, fmt.Sprintf("body %.200q, want %q", got.body, *s.Text))
	}
	for _, piece := range s.TextHas {
		if !strings.Contains(string(got.body), c.fill(piece)) {
			diffs = append(diffs, fmt.Sprintf("body lacks %q", c.fill(piece)))
		}
	}
	if s.Answer == nil {
		return diffs
	}
	want, err := decodeAny([]byte(c.fill(string(s.Answer))))
	if err != nil {
		return append(diffs, err.Error())
	}
	value, err := decodeAny(got.body)
	if err != nil {
		return append(diffs, err.Error())
	}
	return append(diffs, match("answer", want, value)...)
}

func matchHeader(name, pattern string, got answered) []string {
	values, present := got.header[name]
	switch {
	case pattern == "$absent" && present:
		return []string{fmt.Sprintf("header %s is %q, want none", name, values)}
	case pattern == "$absent":
		return nil
	case !present:
		return []string{fmt.Sprintf("header %s is missing", name)}
	}
	return match("header "+name, pattern, values[0])
}

// keep notes values for later steps.
func (c *caller) keep(s step, got answered) error {
	for name, path := range s.Keep {
		value, err := got.at(c.fill(path))
		if err != nil {
			return fmt.Errorf("keep %s: %w", name, err)
		}
		c.kept[name] = value
	}
	return nil
}

// at returns the value at a path of the answer, as text.
func (a answered) at(path string) (string, error) {
	if expression, is := strings.CutPrefix(path, "match:"); is {
		found := regexp.MustCompile(expression).FindSubmatch(a.body)
		if len(found) < 2 { // the match and its group.
			return "", fmt.Errorf("nothing matches %s", expression)
		}
		return html.UnescapeString(string(found[1])), nil
	}
	if parameter, is := strings.CutPrefix(path, "redirect:"); is {
		location, err := url.Parse(a.header.Get("Location"))
		if err != nil {
			return "", fmt.Errorf("header Location: %w", err)
		}
		if !location.Query().Has(parameter) {
			return "", fmt.Errorf("header Location %q has no %s", location, parameter)
		}
		return location.Query().Get(parameter), nil
	}
	value, err := decodeAny(a.body)
	if err != nil {
		return "", err
	}
	for segment := range strings.SplitSeq(path, ".") {
		switch inner := value.(type) {
		case map[string]any:
			value = inner[segment]
		case []any:
			n, err := strconv.Atoi(segment)
			if err != nil || n >= len(inner) {
				return "", fmt.Errorf("nothing at %s", path)
			}
			value = inner[n]
		default:
			return "", fmt.Errorf("nothing at %s", path)
		}
	}
	if value == nil {
		return "", fmt.Errorf("nothing at %s", path)
	}
	return fmt.Sprint(value), nil
}
