package postgres_test

import (
	"context"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
	"sluice/pipeline/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Run(m)) }

// TestNobodyReadsBehindCopyFrom: when CopyFrom returns, the goroutine that reads the rows has ended
// its last read, also if the copying was cancelled.
func TestNobodyReadsBehindCopyFrom(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	returned, ended := make(chan struct{}), make(chan struct{})
	source := readerFunc(func([]byte) (int, error) {
		defer close(ended)
		cancel()
		select { // CopyFrom must not return until the read that is under way ends
		case <-returned:
			t.Error("it returned while its rows were being read")
		case <-time.After(300 * time.Millisecond):
		}
		return 0, io.EOF
	})
	_, err := postgres.CopyFrom(ctx, conn.PgConn(), source, "COPY numbers FROM STDIN")
	close(returned)
	<-ended
	if !errors.Is(err, context.Canceled) {
		t.Errorf("copying was cancelled and says %v", err)
	}
}

func TestCopyFromBringsRows(t *testing.T) {
	t.Parallel()
	conn := connect(t)
	left := []string{"1\n", "2\n3\n"}
	source := readerFunc(func(p []byte) (int, error) {
		if len(left) == 0 {
			return 0, io.EOF
		}
		n := copy(p, left[0])
		left = left[1:]
		return n, nil
	})
	tag, err := postgres.CopyFrom(t.Context(), conn.PgConn(), source, "COPY numbers FROM STDIN")
	if err != nil || tag.RowsAffected() != 3 {
		t.Errorf("%s, %v", tag, err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	conn := warehousetest.Connect(t, warehousetest.New(t))
	if _, err := conn.Exec(t.Context(), "CREATE TABLE numbers (n bigint)"); err != nil {
		t.Fatal(err)
	}
	return conn
}
