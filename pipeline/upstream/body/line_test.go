package body_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"sluice/pipeline/upstream/body"
)

// FuzzRows: for any input, quickly and carefully give the same rows, the same end, and the same
// error text.
func FuzzRows(f *testing.F) {
	for _, seed := range []string{
		"title,chat_id\na,1\n", "\"a\"\"b\",1\nnext_token=x\n\n", "{\"code\":44}", "<html>", "\xef\xbb\xbf\n,\n",
		"a,1\nb,2\r\n\"c,\",\"\"\nd\r,4\n", "a,1\nb,2\n\"c\nd\",3\ne,4\n", "a,1\nb\"c,2\n", "a,1\n\"b\"c,2\n", "a,1\n\"b\"c\",2\n", "a,1\nb,2\nc,\"3\n", "a,1\nb,2,\n", "a,1\nb,\"2\",\n",
		"a,1\n,\n\"\",\n\x01\\,\"\\\x1f\"\n", "a,1\nnext_token=b,2\nc,3\n", "a,1\n\nb,2\n\r\nc,3", "a,1\n\"\"\"\",\"\"\"b\"\n\"\"\"\"\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fields := []string{"title", "chat_id"}
		quick, _, err := body.NewRows(bytes.NewReader(data), fields)
		careful, _, again := body.NewRows(bytes.NewReader(data), fields)
		for err == nil && again == nil {
			var got, want []byte
			got, err = quick.Next()
			want, again = careful.Carefully()
			if !bytes.Equal(got, want) {
				t.Fatalf("a row is %q, the careful way has %q", got, want)
			}
			if err == nil && bytes.Count(got, []byte(`"chat_id":`)) == 0 {
				t.Fatalf("a row without its fields: %q", got)
			}
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, body.ErrShape) {
			t.Fatalf("an error of neither sort: %v", err)
		}
		if again == nil || err.Error() != again.Error() {
			t.Fatalf("it ends with %v, the careful way with %v", err, again)
		}
		if quick != nil && quick.NextToken() != careful.NextToken() {
			t.Fatalf("it goes on with %q, the careful way with %q", quick.NextToken(), careful.NextToken())
		}
	})
}

// TestRowsCountAllLines: quickly reads plain lines, also after a line that is not plain; the number
// of a wrong line is its number in the body.
func TestRowsCountAllLines(t *testing.T) {
	t.Parallel()
	text := "title,chat_id\n" + strings.Repeat("a,1\n", 10) + "\"two\nlines\",2\n" + strings.Repeat("\"a, \"\"b\"\"\",3\r\n", 10) + "b\"c,4\n"
	rows, _, err := body.NewRows(strings.NewReader(text), []string{"title", "chat_id"})
	read := 0
	for ; err == nil; read++ {
		_, err = rows.Next()
	}
	// The first row behind a header is still checked for being a header, and a row of two lines is
	// not plain.
	if rows.Quick() != 19 || read != 22 || !errors.Is(err, body.ErrShape) || !strings.Contains(err.Error(), "line 24:") {
		t.Errorf("%d rows, %d the quick way, then %v", read-1, rows.Quick(), err)
	}
}

func BenchmarkRows(b *testing.B) {
	lines := strings.Repeat("460000000012345,\"Team 345, \"\"open\"\" questions\",2026-01-05T10:00:00Z,2026-02-05T11:30:00Z,17,345,460000000000345\n", 1000)
	fields := strings.Split("chat_id,title,creation_time,last_modified_time,participant_count,total_message_count,creator_id", ",")
	for name, next := range map[string]func(*body.Rows) ([]byte, error){"quick": (*body.Rows).Next, "careful": (*body.Rows).Carefully} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(lines)))
			b.ReportAllocs()
			for b.Loop() {
				rows, _, err := body.NewRows(strings.NewReader(lines), fields)
				for err == nil {
					_, err = next(rows)
				}
				if !errors.Is(err, io.EOF) {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestRowsStayWhatTheyWere: objects are cut from blocks. Later objects do not change an object that
// was given, however long or escaped they are.
func TestRowsStayWhatTheyWere(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	var want []string
	for i := range 3000 {
		text := fmt.Sprintf("row %d ", i) + strings.Repeat([]string{"x", "\\", "\x01", `""`, "\x80"}[i%5], (i*37)%400)
		if i%1000 == 999 {
			text += strings.Repeat("\\", 200_000) // larger than any block, and twice as large when escaped
		}
		fmt.Fprintf(&lines, "%d,\"%s\"\n", i, text)
		want = append(want, strings.ReplaceAll(text, `""`, `"`))
	}
	rows, _, err := body.NewRows(strings.NewReader(lines.String()), []string{"id", "text"})
	if err != nil {
		t.Fatal(err)
	}
	var got [][]byte
	for {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	if len(got) != len(want) {
		t.Fatalf("%d rows, want %d", len(got), len(want))
	}
	for i := range got {
		var fields map[string]string
		if err := json.Unmarshal(got[i], &fields); err != nil {
			t.Fatal(i, err)
		}
		if fields["id"] != fmt.Sprint(i) || fields["text"] != strings.ToValidUTF8(want[i], "\uFFFD") && i%5 != 4 {
			t.Fatalf("row %d is %.60q, want %.60q", i, fields["text"], want[i])
		}
		if cap(got[i]) != len(got[i]) {
			t.Fatalf("row %d has room behind it: appending to it would write into the next", i)
		}
	}
}
