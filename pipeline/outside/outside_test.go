package outside_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"sluice/pipeline/check"
	"sluice/pipeline/outside"
)

// canary resembles a token. It has characters that addresses, JSON and base64 write in other ways.
const canary = `1000.C4nary/of+the=access "token\x`

// spelled returns the spellings of a secret that invariant 10 names. It is independent of the
// scrubber's own list, which has parts of secrets.
func spelled(secret string) map[string]string {
	quoted, _ := json.Marshal(secret) //nolint:errchkjson // text always has a JSON
	escaped := string(quoted[1 : len(quoted)-1])
	all := ""
	for i := range len(secret) {
		all += fmt.Sprintf("%%%02x", secret[i])
	}
	return map[string]string{
		"raw": secret, "upper": strings.ToUpper(secret), "lower": strings.ToLower(secret),
		"query": url.QueryEscape(secret), "query, small": strings.ToLower(url.QueryEscape(secret)), "path": url.PathEscape(secret),
		"every byte": all, "twice": url.QueryEscape(url.QueryEscape(secret)),
		"json": escaped, "json in json": strings.ReplaceAll(strings.ReplaceAll(escaped, `\`, `\\`), `"`, `\"`),
		"json in an address": url.QueryEscape(escaped),
		"hex":                hex.EncodeToString([]byte(secret)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64": base64.StdEncoding.EncodeToString([]byte(secret)), "base64 in an address": url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret))),
		"base64 url":        base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64 of more, 1": base64.StdEncoding.EncodeToString([]byte("a" + secret + "bcd")),
		"base64 of more, 2": base64.URLEncoding.EncodeToString([]byte("ab" + secret + "c")),
		"unicode escapes":   unicodeEscapes(secret),
	}
}

func unicodeEscapes(text string) string {
	var out strings.Builder
	for _, r := range text {
		fmt.Fprintf(&out, `\u%04X`, r)
	}
	return out.String()
}

// left returns a run of twelve characters of a spelling that is still in a text; "" if there is
// none.
func left(text, secret string) string {
	for name, form := range spelled(secret) {
		form = strings.Trim(form, "=") // without padding; below, without the bytes around the secret
		if strings.HasPrefix(name, "base64 of more") {
			form = form[4 : len(form)-6]
		}
		for i := 0; i+12 <= len(form); i++ {
			if strings.Contains(text, form[i:i+12]) {
				return name + ": " + form[i:i+12]
			}
		}
	}
	return ""
}

func TestNoSpellingOfASecretComesThrough(t *testing.T) {
	t.Parallel()
	s := outside.NewScrubber()
	s.Keep(canary)
	for name, form := range spelled(canary) {
		for where, text := range map[string]string{"alone": form, "inside": `{"error":"` + form + `"}`, "cut behind": form[:len(form)-7], "cut in front": form[5:]} {
			got := s.Scrub(text)
			found := left(got, canary)
			check.ErrorIf(t, found != "" || !strings.Contains(got, "[redacted]"), "%s, %s: %s has %q", name, where, got, found)
		}
	}
	const plain = "the client is not accepted (invalid_client): 12.5% of 1000.00, C:\\temp\\new, 100%"
	check.Same(t, "a text without a secret", plain, s.Scrub(plain))
}

func TestScrubbedBeforeItIsCut(t *testing.T) {
	t.Parallel()
	s := outside.NewScrubber()
	s.Keep(canary)
	for most := range 80 {
		text := string(s.Text("the word is "+canary+canary+" and more", most))
		check.ErrorIf(t, strings.Contains(text, canary[:4]) || len(text) > most+len("…"), "at %d: %q", most, text)
	}
	check.Same(t, "a long text", "xxxxxxxxxx…", s.Text(strings.Repeat("x", 1<<20)+canary, 10))
	long := strings.Repeat("x", 64<<10-5) + canary + strings.Repeat("y", 64<<10)
	check.Same(t, "between two windows stands", "", left(s.Scrub(long), canary))
}

func TestSecretsComeAndGo(t *testing.T) {
	t.Parallel()
	s := outside.NewScrubber()
	token := func(i int) string { return fmt.Sprintf("1000.%x", sha256.Sum256([]byte{byte(i), byte(i >> 8)})) }
	s.Keep(canary)
	for i := range 2000 {
		s.Know(token(i))
		s.Know(token(0)) // it is in use
	}
	for i, known := range map[int]bool{0: true, 1: false, 1999: true} {
		got := s.Scrub("is " + hex.EncodeToString([]byte(token(i)[5:])))
		check.ErrorIf(t, strings.Contains(got, "[redacted]") != known, "token %d: %s", i, got)
	}
	check.Same(t, "what was kept for good", "[redacted]", s.Scrub(canary))
	check.Same(t, "it prints as", "[scrubber] [scrubber] [scrubber]", fmt.Sprintf("%v %+v %#v", s, struct{ s *outside.Scrubber }{s}.s, s))
}

func TestWordsAreNoSecrets(t *testing.T) {
	t.Parallel()
	s := outside.NewScrubber()
	s.Keep("", "sluice", "postgres", "hunter2", "hunter2-2")
	check.Same(t, "it", "sluice: postgres of hunter2 said [redacted] and [redacted]", s.Scrub("sluice: postgres of hunter2 said hunter2-2 and aHVudGVyMi0y"))
	var none *outside.Scrubber
	check.Same(t, "without a scrubber it", "a\u2400[2Jb", none.Text("a\x1b[2Jb", 100))
}

func TestCauses(t *testing.T) {
	t.Parallel()
	s := outside.NewScrubber()
	s.Keep(canary)
	check.ErrorIf(t, s.Cause(nil) != nil, "no error has a cause")
	inner := errors.New("inner")
	cause := s.Cause(fmt.Errorf("%s: %w", canary, inner))
	check.ErrorIf(t, cause.Error() != "[redacted]: inner" || !errors.Is(cause, inner), "the cause is %v", cause)
	check.Same(t, "the sentence", "page 3 of [redacted]4", s.Textf("page %d of %s", 3, canary)+outside.Number(4))
}

func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain 会社 é\u00a0": "plain 会社 é\u00a0", "\x1b]0;x\x07": "␀]0;x␀", "a\r\n\tb": "a␀␀␀b", "\u009b2J\x7f": "␀2J␀",
		"\u202eevil\u2066": "␀evil␀", "a\u200bb\ufeff\u00ad": "a␀b␀␀", "\xff\xfe": "\uFFFD", "\u2028": "␀", "\U000e0041": "␀", "\u3164": "␀",
	} {
		check.Same(t, fmt.Sprintf("%+q", text), want, outside.Visible(text))
	}
	check.Same(t, "lines", "a␀\n\tb␀", outside.VisibleLines("a\r\n\tb\x1b"))
}

// FuzzScrubber puts a secret into a text in one of its spellings and expects that no part of it
// remains.
func FuzzScrubber(f *testing.F) {
	f.Add("before ", canary, " behind", uint8(0))
	f.Add(`{"error":"`, "1000.abcdefghijkl", `"}`, uint8(4))
	f.Add("%25%", "p%41ss\\u0041word-of-db", "%\\", uint8(9))
	f.Add("YQ", "aaaaaaaaaaaaaaaa", "==", uint8(14))
	f.Add("%", "000000!00000", "0", uint8(80))
	f.Add(`\`, `u00410"00000`, "0", uint8(8))
	f.Fuzz(func(t *testing.T, before, secret, behind string, form uint8) {
		plain := func(r rune) bool { return r > ' ' && r <= '~' }
		if len(secret) < 12 || len(secret) > 200 || strings.ContainsFunc(secret, func(r rune) bool { return !plain(r) }) ||
			strings.Contains("[redacted]"+secret+"[redacted]", "redacted"+secret[:1]) || len(before)+len(behind) > 4096 {
			return
		}
		s := outside.NewScrubber()
		s.Know(secret)
		forms := []string{"raw", "upper", "lower", "query", "query, small", "path", "every byte", "twice", "json", "json in json", "json in an address",
			"hex", "HEX", "base64", "base64 in an address", "base64 url", "base64 of more, 1", "base64 of more, 2", "unicode escapes"}
		text := before + spelled(secret)[forms[int(form)%len(forms)]] + behind
		for _, got := range []string{s.Scrub(text), string(s.Text(text, 100)), s.Cause(errors.New(text)).Error()} {
			check.ErrorIf(t, strings.Contains(got, secret) || !strings.Contains(s.Scrub(text), "[redacted]"), "%q became %q", text, got)
			for name, spelling := range spelled(secret) {
				check.ErrorIf(t, len(spelling) >= 16 && !strings.Contains(name, "more") && strings.Contains(got, spelling),
					"%s: %q became %q", name, text, got)
			}
		}
	})
}

// FuzzVisible cleans texts and expects that no hidden character remains and that JSON documents
// keep their values.
func FuzzVisible(f *testing.F) {
	f.Add("plain")
	f.Add("\x1b]0;title\x07\u009b31m\r\n\u202e\u2066\u200b\U000e0041\xff\u3164")
	f.Fuzz(func(t *testing.T, text string) {
		hides := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }
		got := outside.Visible(text)
		check.ErrorIf(t, strings.ContainsFunc(got, hides) || strings.ToValidUTF8(got, "") != got, "%+q became %+q", text, got)
		got = outside.VisibleLines(text)
		check.ErrorIf(t, strings.ContainsFunc(strings.NewReplacer("\n", "", "\t", "").Replace(got), hides), "lines: %+q became %+q", text, got)
		document, err := json.MarshalIndent(map[string]string{"key": text}, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		shown := outside.JSON(string(document))
		var before, after map[string]string
		err = errors.Join(json.Unmarshal(document, &before), json.Unmarshal([]byte(shown), &after))
		check.ErrorIf(t, err != nil || before["key"] != after["key"], "%+q is %+q in %s: %v", before["key"], after["key"], shown, err)
		check.ErrorIf(t, strings.ContainsFunc(strings.ReplaceAll(shown, "\n", ""), hides), "JSON: %+q became %+q", text, shown)
	})
}

// TestNoLogShowsAnExcerpt: whatever the excerpt holds, and however often one is in a text.
func TestNoLogShowsAnExcerpt(t *testing.T) {
	t.Parallel()
	const hidden = "‹not logged: see sluice runs›"
	for text, want := range map[string]string{
		"no excerpt": "no excerpt",
		"begins " + string(outside.Excerpt("Anna › x ‹ y")) + ": more": "begins " + hidden + ": more",
		string(outside.Excerpt("a") + " and " + outside.Excerpt("b")):  hidden + " and " + hidden,
		string(outside.Excerpt("")):                                    hidden,
	} {
		check.Same(t, fmt.Sprintf("%q", text), want, outside.WithoutExcerpts(text))
	}
}
