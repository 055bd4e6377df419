package copybinary_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"sluice/pipeline/check"
	"sluice/pipeline/warehouse/rows/copybinary"
	"sluice/schema"
	"sluice/schema/record"
)

func encode(t interface{ Fatal(args ...any) }, kind schema.Kind, text string) []byte {
	buf, err := copybinary.Value([]byte("before"), kind, &record.Value{Text: text, State: record.Set})
	if err != nil {
		t.Fatal(kind, text, err)
	}
	buf = bytes.TrimPrefix(buf, []byte("before"))
	if int(binary.BigEndian.Uint32(buf)) != len(buf)-4 {
		t.Fatal(kind, text, "has another length than it says")
	}
	return buf[4:]
}

func TestValuesAreWhatTheDriverReads(t *testing.T) {
	t.Parallel()
	types := pgtype.NewMap()
	rapid.Check(t, func(t *rapid.T) {
		literal := rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{0,12}[1-9])?`).Draw(t, "decimal")
		if literal != "-0" {
			var number pgtype.Numeric
			if err := types.Scan(pgtype.NumericOID, pgtype.BinaryFormatCode, encode(t, schema.KindDecimal, literal), &number); err != nil {
				t.Fatal(err)
			}
			// As text the driver has it in digits, too.
			var want pgtype.Numeric
			if err := want.Scan(literal); err != nil {
				t.Fatal(err)
			}
			got, _ := number.Value()
			wanted, _ := want.Value()
			if got != wanted {
				t.Fatalf("%s is read as %v", literal, got)
			}
		}
		at := time.UnixMicro(rapid.Int64Range(-62_135_596_800_000_000, 253_402_300_799_999_999).Draw(t, "microseconds")).UTC()
		var instant, day time.Time
		if err := types.Scan(pgtype.TimestamptzOID, pgtype.BinaryFormatCode, encode(t, schema.KindTime, at.Format("2006-01-02 15:04:05.999999")+"+00"), &instant); err != nil {
			t.Fatal(err)
		}
		if err := types.Scan(pgtype.DateOID, pgtype.BinaryFormatCode, encode(t, schema.KindDate, at.Format(time.DateOnly)), &day); err != nil {
			t.Fatal(err)
		}
		if !instant.Equal(at) || !day.Equal(at.Truncate(24*time.Hour)) {
			t.Fatalf("%s is read as %s and %s", at, instant, day)
		}
	})
}

func TestNumericsAreWrittenAsPostgresDoes(t *testing.T) {
	t.Parallel()
	// The bytes are those of numeric_send.
	for text, want := range map[string]string{
		"0":           "\x00\x00\x00\x00\x00\x00\x00\x00",
		"1":           "\x00\x01\x00\x00\x00\x00\x00\x00\x00\x01",
		"-10000":      "\x00\x01\x00\x01\x40\x00\x00\x00\x00\x01",
		"12345.678":   "\x00\x03\x00\x01\x00\x00\x00\x03\x00\x01\x09\x29\x1a\x7c",
		"0.00001":     "\x00\x01\xff\xfe\x00\x00\x00\x05\x03\xe8",
		"100000000.5": "\x00\x04\x00\x02\x00\x00\x00\x01\x00\x01\x00\x00\x00\x00\x13\x88",
	} {
		got := encode(t, schema.KindDecimal, text)
		check.ErrorIf(t, string(got) != want, "%s is %x, want %x", text, got, want)
	}
}

func TestWhatIsNotCanonicalHasNoForm(t *testing.T) {
	t.Parallel()
	for kind, texts := range map[schema.Kind][]string{
		schema.KindDecimal: {"", "-", "1.", ".5", "1e3", "NaN", "1,5", "٣"},
		schema.KindBool:    {"", "t", "TRUE"},
		schema.KindInt:     {"", "1.0", "9223372036854775808"},
		schema.KindDate:    {"", "2026-02-29", "2026-1-01", "20260101", "2026-01-01 ", "0000-01-01"},
		schema.KindTime: {
			"", "now", "2026-01-01", "2026-01-01 10:00:00", "2026-01-01 10:00:00+01", "2026-01-01 24:00:00+00",
			"2026-01-01 10:00:00.+00", "2026-01-01 10:00:00.1234567+00", "2026-01-01T10:00:00+00",
		},
		schema.KindJSON: {""},
	} {
		for _, text := range texts {
			_, err := copybinary.Value(nil, kind, &record.Value{Text: text, State: record.Set})
			check.ErrorIf(t, !errors.Is(err, copybinary.ErrText), "%v %q gives %v", kind, text, err)
		}
	}
}

func TestReaderGivesTheSameBytesHoweverItIsRead(t *testing.T) {
	t.Parallel()
	rows := make([]int, 20_000)
	encode := func(buf []byte, _ int) ([]byte, error) { return copybinary.Short(copybinary.Row(buf, 1), 7), nil }
	want := "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00" + string(bytes.Repeat([]byte("\x00\x01\x00\x00\x00\x04\x00\x00\x00\x07"), len(rows))) + "\xff\xff"
	for name, reader := range map[string]io.Reader{
		"at once":      copybinary.NewReader(rows, encode),
		"byte by byte": iotest.OneByteReader(copybinary.NewReader(rows, encode)),
	} {
		got, err := io.ReadAll(reader)
		check.ErrorIf(t, err != nil || string(got) != want, "%s: %d bytes, %v, want %d", name, len(got), err, len(want))
	}
}

func TestTheDriverReadsArrays(t *testing.T) {
	t.Parallel()
	types := pgtype.NewMap()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Ptr(rapid.Int64(), true)).Draw(t, "numbers")
		written, err := copybinary.Array(nil, pgtype.Int8OID, len(want), func(buf []byte, i int) ([]byte, error) {
			if want[i] == nil {
				return copybinary.Null(buf), nil
			}
			return copybinary.Int(buf, *want[i]), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []*int64
		if err := types.Scan(pgtype.Int8ArrayOID, pgtype.BinaryFormatCode, written, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		texts := rapid.SliceOf(rapid.String()).Draw(t, "texts")
		var read []string
		err = types.Scan(pgtype.TextArrayOID, pgtype.BinaryFormatCode, copybinary.Texts(len(texts), func(i int) string { return texts[i] }), &read)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(texts, read); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
