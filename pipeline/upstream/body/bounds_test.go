package body_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"sluice/pipeline/upstream/body"
)

// spent is how many bytes do takes from the heap.
func spent(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// listOf is the answer of a list that repeats an element.
func listOf(element string, count int) []byte {
	list := strings.TrimSuffix(strings.Repeat(element+",", count), ",")
	return []byte(`{"code":0,"taxes":[` + list + `],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`)
}

// TestAListOfAMillionElementsTakesNoMemory runs alone, because other tests would take memory
// meanwhile.
func TestAListOfAMillionElementsTakesNoMemory(t *testing.T) { //nolint:paralleltest // see above
	const most = 4 << 20 // bytes; a slice for each element took 40 times as much, and what was made of them a gigabyte
	for _, data := range map[string][]byte{
		"numbers":       listOf("1", 2_000_000),
		"objects":       listOf("{}", 1_000_000),
		"the quick way": listOf(`{"a":"b"}`, 700_000),
		"carefully":     listOf(`{"a":"\u0062"}`, 700_000),
		"lists":         []byte(`{"taxes":[]` + many(900, func(n int) string { return fmt.Sprintf(`,"k%d":[1%s]`, n, strings.Repeat(",1", 5000)) }) + `}`),
		"keys":          []byte(`{"taxes":[]` + many(1_000_000, func(n int) string { return fmt.Sprintf(`,"k%d":1`, n) }) + `}`),
	} {
		name := string(data[:min(len(data), 60)])
		for way, parse := range map[string]func([]byte) (*body.Envelope, error){"quick": body.Parse, "careful": body.ParseCarefully} {
			var page body.Page
			took := spent(func() {
				envelope, err := parse(data)
				if err == nil {
					page, err = envelope.Page("taxes")
				}
				errorIf(t, !errors.Is(err, body.ErrShape), "%s, %s: %d records, %v, want ErrShape", name, way, len(page.Records), err)
			})
			errorIf(t, took > most, "%s, %s: %d bytes were taken, at most %d are enough", name, way, took, most)
		}
	}
}

func many(count int, text func(int) string) string {
	var b strings.Builder
	for n := range count {
		b.WriteString(text(n))
	}
	return b.String()
}

func TestALongListIsReadToItsBound(t *testing.T) {
	t.Parallel()
	for count, fits := range map[int]bool{10_000: true, 10_001: false} {
		for way, parse := range map[string]func([]byte) (*body.Envelope, error){"quick": body.Parse, "careful": body.ParseCarefully} {
			envelope, err := parse(listOf("{}", count))
			must(t, err)
			page, err := envelope.Page("taxes")
			errorIf(t, (err == nil) != fits || fits && len(page.Records) != count,
				"%d elements, %s: %d records, %v", count, way, len(page.Records), err)
		}
	}
}

func TestTextsOfAnEnvelopeAreShort(t *testing.T) {
	t.Parallel()
	for size, fits := range map[int]bool{4096: true, 4097: false, 8 << 20: false} {
		token := strings.Repeat("t", size)
		envelope, err := body.Parse([]byte(`{"chats":[],"next_token":"` + token + `","access_token":"` + token + `"}`))
		must(t, err)
		page, err := envelope.Linked("chats")
		errorIf(t, (err == nil) != fits || fits && page.Token != token, "a token of %d bytes: %v", size, err)
		text, ok := envelope.Text("access_token")
		errorIf(t, ok != fits || fits && text != token, "an access token of %d bytes: %d, %t", size, len(text), ok)
		if _, err = body.Parse([]byte(`{"code":"` + token + `"}`)); (err == nil) != fits {
			t.Errorf("a code of %d bytes: %v", size, err)
		}
		rows, _, err := body.NewRows(strings.NewReader("a,b\n1,2\nnext_token="+token[:min(size, 1<<19)]+"\n"), []string{"a", "b"})
		for err == nil {
			_, err = rows.Next()
		}
		errorIf(t, errors.Is(err, io.EOF) != fits, "a token of %d bytes behind an export: %v", size, err)
	}
}

// nested is a value nested as deep as depth.
func nested(depth int) string { return strings.Repeat("[", depth) + `"]"` + strings.Repeat("]", depth) }

// TestDepthIsJudgedByRecord: a record that is nested too deep loses no other record, and is given
// as it is.
func TestDepthIsJudgedByRecord(t *testing.T) {
	t.Parallel()
	for _, depth := range []int{1, 61, 62, 63, 64, 65, 66, 200, 20_000} {
		deep := `{"a":` + nested(depth) + `,"b":[1,{"c":"\u0064"}]}`
		data := []byte(`{"code":0,"taxes":[{"x":1},` + deep + `, {"y":2}],"page_context":{"page":1,"per_page":200,"has_more_page":false}}`)
		before := bytes.Clone(data)
		for way, parse := range map[string]func([]byte) (*body.Envelope, error){"quick": body.Parse, "careful": body.ParseCarefully} {
			envelope, err := parse(data)
			fatalIf(t, err != nil, "%d deep, %s: %v", depth, way, err)
			page, err := envelope.Page("taxes")
			errorIf(t, err != nil || len(page.Records) != 3 || string(page.Records[1]) != deep || string(page.Records[2]) != `{"y":2}`,
				"%d deep, %s: %d records, %v", depth, way, len(page.Records), err)
		}
		errorIf(t, !bytes.Equal(data, before), "%d deep: the body was changed", depth)
		single, err := body.Parse([]byte(`{"code":0,"tax":` + deep + `}`))
		fatalIf(t, err != nil, "%d deep, a single record: %v", depth, err)
		record, err := single.Object("tax")
		errorIf(t, err != nil || string(record) != deep, "%d deep, a single record: %v", depth, err)
	}
	for _, data := range []string{
		`{"code":0,"taxes":[` + nested(100) + `]}`, `{"code":0,"message":` + nested(100) + `,"taxes":[]}`, nested(100),
		`{"code":0,"taxes":[{"a":` + strings.Repeat("[", 100) + `}]}`, `{"code":0,"taxes":[{"a":` + strings.Repeat("[", 100),
	} {
		_, err := body.Parse([]byte(data))
		errorIf(t, !errors.Is(err, body.ErrShape) && !errors.Is(err, body.ErrCut), "%.40s…: %v, want an error", data, err)
	}
}

// TestALineOfAMillionFieldsTakesNoMemory runs alone, because other tests would take memory
// meanwhile.
func TestALineOfAMillionFieldsTakesNoMemory(t *testing.T) { //nolint:paralleltest // see above
	const most = 4 << 20
	fields := []string{"a", "b"}
	for name, line := range map[string]string{
		"commas":               strings.Repeat(",", 1_000_000),
		"behind an empty line": "\n\r\n" + strings.Repeat("x,", 500_000),
		"behind a long field":  `"` + strings.Repeat("long\n", 20_000) + `"` + strings.Repeat(",", 900_000),
		"quoted":               strings.Repeat(`"",`, 300_000),
	} {
		var err error
		took := spent(func() {
			var rows *body.Rows
			rows, _, err = body.NewRows(strings.NewReader("a,b\n1,2\n"+line+"\n3,4\n"), fields)
			for err == nil {
				_, err = rows.Next()
			}
		})
		errorIf(t, !errors.Is(err, body.ErrShape) || took > most, "%s: %d bytes were taken, %v", name, took, err)
	}
	for more, want := range map[int]string{64: "a row of 66 fields where 2 were asked for", 65: "a row of more than 66 fields"} {
		rows, _, err := body.NewRows(strings.NewReader("1,2\n3,4"+strings.Repeat(",x", more)+"\n"), fields)
		for err == nil {
			_, err = rows.Next()
		}
		errorIf(t, !errors.Is(err, body.ErrShape) || !strings.Contains(err.Error(), want), "%d more: %v, want %q", more, err, want)
	}
}
