package sync_test

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline"
)

// answer is a source of one function.
type answer func(pipeline.Ask) (pipeline.Page, error)

// Details implements sync.Source.
func (answer) Details(context.Context, pipeline.Ask, []string) (pipeline.Page, error) {
	return pipeline.Page{}, errors.ErrUnsupported
}

// Page implements sync.Source.
func (a answer) Page(_ context.Context, ask pipeline.Ask) (pipeline.Page, error) { return a(ask) }

// Export implements sync.Source.
func (a answer) Export(_ context.Context, ask pipeline.Ask, each func(pipeline.Page) error) error {
	page, err := a(ask)
	if err != nil {
		return err
	}
	return each(page)
}

func nopSettle(context.Context, pgx.Tx, bool) error { return nil }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
