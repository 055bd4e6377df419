package files_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"sluice/pipeline/check"
	"sluice/pipeline/files"
)

// columns are one of each kind.
func columns() []files.Column {
	return []files.Column{
		{Name: "text", Kind: files.Text}, {Name: "open, \"json\"", Kind: files.JSON}, {Name: "bytes", Kind: files.Bytes},
		{Name: "is", Kind: files.Bool}, {Name: "count", Kind: files.Int}, {Name: "amount", Kind: files.Decimal, Scale: 4},
		{Name: "day", Kind: files.Date}, {Name: "at", Kind: files.Time},
	}
}

func text(value string) files.Value  { return files.Value{Text: []byte(value)} }
func number(value int64) files.Value { return files.Value{Number: value} }

// rows are values at the edges of each kind. 20454 days after 1970 it is 1 January 2026.
func rows() [][]files.Value {
	null := files.Value{Null: true}
	return [][]files.Value{
		{text("plain"), text(`{"a": [1, "x,y"]}`), text("\x00\xff"), number(1), number(-9223372036854775808), text("-0.5"), number(20454), number(1767225600000001)},
		{null, null, null, null, null, null, null, null},
		{text(""), text(`""`), text(""), number(0), number(0), text("0"), number(files.FirstDay), number(files.FirstInstant)},
		{
			text("say \"hi\",\r\nשלום עולם\u202e"), text("null"), text("a"), number(1), number(9223372036854775807),
			text("123456789012345678901234567890.12"), number(files.LastDay), number(files.LastInstant),
		},
		{text(" edge"), text("[]"), text("b"), number(0), number(1), text("12.50"), number(-1), number(-1)},
	}
}

func written(t *testing.T, format files.Format, columns []files.Column, rows [][]files.Value) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := files.NewWriter(format, &out, columns)
	check.Must(t, err)
	for _, row := range rows {
		check.Must(t, w.Write(row))
	}
	check.Must(t, w.Close())
	return out.Bytes()
}

func TestCSV(t *testing.T) {
	t.Parallel()
	want := strings.Join([]string{
		`text,"open, ""json""",bytes,is,count,amount,day,at`,
		`plain,"{""a"": [1, ""x,y""]}",00ff,true,-9223372036854775808,-0.5,2026-01-01,2026-01-01T00:00:00.000001Z`,
		`,,,,,,,`,
		`"","""""",,false,0,0,0001-01-01,0001-01-01T00:00:00.000000Z`,
		"\"say \"\"hi\"\",\r\nשלום עולם\u202e\",null,61,true,9223372036854775807,123456789012345678901234567890.12,9999-12-31,9999-12-31T23:59:59.999999Z",
		`" edge",[],62,false,1,12.50,1969-12-31,1969-12-31T23:59:59.999999Z`, "",
	}, "\r\n")
	check.Same(t, "", want, string(written(t, files.CSV, columns(), rows())))
}

func TestLines(t *testing.T) {
	t.Parallel()
	want := `{"text":"plain","open, \"json\"":{"a": [1, "x,y"]},"bytes":"00ff","is":true,"count":-9223372036854775808,"amount":-0.5,"day":"2026-01-01","at":"2026-01-01T00:00:00.000001Z"}
{"text":null,"open, \"json\"":null,"bytes":null,"is":null,"count":null,"amount":null,"day":null,"at":null}
{"text":"","open, \"json\"":"","bytes":"","is":false,"count":0,"amount":0,"day":"0001-01-01","at":"0001-01-01T00:00:00.000000Z"}
{"text":"say \"hi\",\r\nשלום עולם` + "\u202e" + `","open, \"json\"":null,"bytes":"61","is":true,"count":9223372036854775807,"amount":123456789012345678901234567890.12,"day":"9999-12-31","at":"9999-12-31T23:59:59.999999Z"}
{"text":" edge","open, \"json\"":[],"bytes":"62","is":false,"count":1,"amount":12.50,"day":"1969-12-31","at":"1969-12-31T23:59:59.999999Z"}
`
	check.Same(t, "", want, string(written(t, files.JSONL, columns(), rows())))
}

// TestWhatIsNoDecimal: what numeric of Postgres may also hold is an error in each format.
func TestWhatIsNoDecimal(t *testing.T) {
	t.Parallel()
	for _, format := range []files.Format{files.CSV, files.JSONL, files.Parquet} {
		for _, value := range []string{"NaN", "Infinity", "-Infinity", "", "1e5", "1-"} {
			w, err := files.NewWriter(format, &bytes.Buffer{}, []files.Column{{Name: "amount", Kind: files.Decimal, Scale: 2}})
			check.Must(t, err)
			err = w.Write([]files.Value{text(value)})
			check.ErrorIf(t, err == nil || !strings.Contains(err.Error(), "amount has"), "%s: %q gives %v", format, value, err)
		}
	}
	_, err := files.NewWriter("xml", &bytes.Buffer{}, nil)
	check.ErrorIf(t, err == nil, "a format that is none is written")
}

// TestDecimals: the bytes are those of a big integer in two's complement, which package big knows.
func TestDecimals(t *testing.T) {
	t.Parallel()
	nines := strings.Repeat("9", 38)
	for _, c := range []struct {
		text  string
		scale int
		want  string // "" if it is too wide
	}{
		{"0", 10, "0"}, {"-0", 3, "0"}, {"-0.000", 2, "0"}, {"1.5", 2, "150"}, {"-1", 0, "-1"}, {"12.500", 2, "1250"}, {nines, 0, nines}, {"-" + nines, 0, "-" + nines},
		{"0." + nines, 38, nines}, {"1" + nines, 0, ""}, {nines, 1, ""}, {"0.001", 2, ""}, {"1" + strings.Repeat("0", 60), 0, ""}, {"00012", 1, "120"},
		{"18446744073709551616", 0, "18446744073709551616"}, {"-18446744073709551615", 0, "-18446744073709551615"},
	} {
		checkDecimal(t, c.text, c.scale, c.want)
	}
	const seed = 11
	random := rand.New(rand.NewPCG(seed, seed))
	for range 5000 {
		digits := make([]byte, 1+random.IntN(38))
		for i := range digits {
			digits[i] = '0' + byte(random.IntN(10))
		}
		sign, behind := "", random.IntN(len(digits))
		if random.IntN(2) == 0 {
			sign = "-"
		}
		want, _ := new(big.Int).SetString(sign+string(digits), 10)
		at := len(digits) - behind
		checkDecimal(t, strings.TrimSuffix(sign+string(digits[:at])+"."+string(digits[at:]), "."), behind, want.String())
	}
}

func checkDecimal(t *testing.T, value string, scale int, want string) {
	t.Helper()
	got, err := files.AppendWide(nil, files.Column{Name: "amount", Scale: scale}, []byte(value))
	if want == "" {
		check.ErrorIf(t, !errors.Is(err, files.ErrTooWide), "%s at scale %d: %x, %v, want ErrTooWide", value, scale, got, err)
		return
	}
	if err != nil || len(got) != 16 {
		t.Fatalf("%s at scale %d: %x, %v", value, scale, got, err)
	}
	read := signed(got)
	check.ErrorIf(t, read.String() != want, "%s at scale %d is %s, want %s", value, scale, read, want)
}

// signed reads a big integer in two's complement.
func signed(value []byte) *big.Int {
	read := new(big.Int).SetBytes(value)
	if value[0]&0x80 != 0 {
		read.Sub(read, new(big.Int).Lsh(big.NewInt(1), uint(8*len(value))))
	}
	return read
}

// names are the names in a folder; those of files that are not whole end with partial.
func names(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	check.Must(t, err)
	var found []string
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasSuffix(name, ".partial") {
			name = "partial"
		}
		found = append(found, name)
	}
	return found
}

func fill(t *testing.T, f *files.Folder, name, content string) *files.File {
	t.Helper()
	file, err := f.Create(name)
	check.Must(t, err)
	_, err = file.Write([]byte(content))
	check.Must(t, err)
	return file
}

// TestFolder: files get their names together, and none that was there is touched.
func TestFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "folder")
	all := []string{"a.csv", "export.json"}
	open := func(replace bool) (*files.Folder, error) { return files.OpenFolder(path, all, replace) }
	f, err := open(false)
	check.Must(t, err)
	a := fill(t, f, "a.csv", "one")
	check.Must(t, a.Close())
	check.Must(t, fill(t, f, "export.json", "{}").Close())
	check.Same(t, "before Commit", []string{"partial", "partial"}, names(t, path))
	check.Must(t, f.Commit())
	check.Must(t, f.Discard()) // nothing is left to discard
	sum := sha256.Sum256([]byte("one"))
	if got := names(t, path); !slices.Equal(got, all) || a.Bytes != 3 || a.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("after Commit: %q, %d bytes, %s", got, a.Bytes, a.SHA256)
	}
	info, err := os.Stat(filepath.Join(path, "a.csv"))
	check.Must(t, err)
	check.Same(t, "the file has mode", 0o600, info.Mode())
	_, err = open(false)
	check.ErrorIf(t, !errors.Is(err, files.ErrExists), "files that are there: %v", err)
	f, err = open(true)
	check.Must(t, err)
	check.Must(t, fill(t, f, "a.csv", "two").Close())
	check.Must(t, fill(t, f, "export.json", "{}").Close())
	check.Must(t, f.Commit())
	content, err := os.ReadFile(filepath.Join(path, "a.csv"))
	check.ErrorIf(t, err != nil || string(content) != "two", "replaced by %q, %v", content, err)
}

// TestAFileThatAppears: one that another process made meanwhile is not replaced unasked.
func TestAFileThatAppears(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	f, err := files.OpenFolder(path, []string{"a.csv"}, false)
	check.Must(t, err)
	check.Must(t, fill(t, f, "a.csv", "ours").Close())
	check.Must(t, os.WriteFile(filepath.Join(path, "a.csv"), []byte("theirs"), 0o600))
	err = f.Commit()
	check.ErrorIf(t, !errors.Is(err, files.ErrExists), "Commit = %v", err)
	check.Must(t, f.Discard())
	content, err := os.ReadFile(filepath.Join(path, "a.csv"))
	check.ErrorIf(t, err != nil || string(content) != "theirs" || len(names(t, path)) != 1, "%q, %v, %q", content, err, names(t, path))
}

// TestAFullDevice: the error says which file, and Discard leaves nothing.
func TestAFullDevice(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	f, err := files.OpenFolder(path, []string{"a.csv"}, false)
	check.Must(t, err)
	file, err := f.Create("a.csv")
	check.Must(t, err)
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	check.Must(t, err)
	defer func() { check.Must(t, device.Close()) }()
	file.Redirect(device)
	_, err = file.Write([]byte("rows"))
	check.Must(t, err)
	err = file.Close()
	check.ErrorIf(t, !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "a.csv"), "Close = %v", err)
	check.Must(t, f.Discard())
	got := names(t, path)
	check.ErrorIf(t, len(got) != 0, "left behind: %q", got)
}
