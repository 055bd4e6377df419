package crashpoints

import (
	"encoding/binary"
	"slices"
	"testing"
)

// message returns a message of the protocol.
func message(kind byte, body string) []byte {
	text := binary.BigEndian.AppendUint32([]byte{kind}, uint32(len(body)+4))
	return append(text, body...)
}

// TestStatementsAreFoundWhereverTheBytesAreCut cuts a conversation into pieces of every size. The
// statements are the same, and begin within the pieces.
func TestStatementsAreFoundWhereverTheBytesAreCut(t *testing.T) {
	t.Parallel()
	startup := binary.BigEndian.AppendUint32(nil, 12)
	startup = append(startup, 0, 3, 0, 0, 'a', 0, 0, 0)
	said := slices.Concat(startup,
		message('Q', "BEGIN\x00"),
		message('P', "s1\x00INSERT  INTO a\n VALUES ($1)\x00\x00\x00"), message('D', "Ss1\x00"), message('S', ""),
		message('B', "\x00s1\x00rest"), message('E', "\x00\x00\x00\x00\x00"), message('S', ""),
		message('Q', "copy a from stdin binary\x00"), message('d', "data\x00data"), message('c', ""),
		message('Q', "COMMIT\x00"), message('X', ""))
	want := []string{"BEGIN", "INSERT INTO a VALUES ($1)", "copy a from stdin binary", "copy a from stdin binary (its end)", "COMMIT"}
	for size := 1; size <= len(said); size++ {
		var line stream
		var got []string
		for from := 0; from < len(said); from += size {
			piece := said[from:min(from+size, len(said))]
			for _, s := range line.read(piece) {
				got = append(got, s.sql)
				if s.start < 0 || s.start >= len(piece) {
					t.Fatalf("pieces of %d bytes: %q begins at %d of %d", size, s.sql, s.start, len(piece))
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("pieces of %d bytes: got %q, want %q", size, got, want)
		}
	}
}

func TestWhatOnlyReads(t *testing.T) {
	t.Parallel()
	for sql, want := range map[string]bool{
		"SELECT 1": true, "select a FROM b": true, "SELECT call_id FROM sluice.reserve_call($1)": false, "SELECT notifications.take_callback($1)": false, "SELECT a FROM b FOR UPDATE": false,
		"INSERT INTO a VALUES (1)": false, "COMMIT": false, "BEGIN": false, "WITH x AS (SELECT 1) UPDATE a SET b = 1": false,
		"SELECT pg_advisory_lock($1)": false, "-- ping": true, "-- name: JobGetByID :one SELECT id FROM river_job": true,
		"-- name: JobInsertFull :one INSERT INTO river_job (args) VALUES ($1)": false,
	} {
		if got := reads(sql); got != want {
			t.Errorf("%s: got %t, want %t", sql, got, want)
		}
	}
}
