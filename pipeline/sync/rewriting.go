package sync

import (
	"context"

	"sluice/pipeline"
)

// LeavingOut returns a source that leaves columns out of the records of another one, as their
// streams say, if that one has not done so.
func LeavingOut(source Source) Source { return leavingOut{source} }

type leavingOut struct{ Source }

func (l leavingOut) rewrite(stream pipeline.Stream, page *pipeline.Page) {
	if !page.LeftOut {
		stream.LeaveOut.Records(page.Records)
	}
}

// Page implements Source.
func (l leavingOut) Page(ctx context.Context, request pipeline.Request) (pipeline.Page, error) {
	page, err := l.Source.Page(ctx, request)
	l.rewrite(request.Stream, &page)
	return page, err // unwrapped: callers need its kind
}

// Export implements Source.
func (l leavingOut) Export(ctx context.Context, request pipeline.Request, each func(pipeline.Page) error) error {
	return l.Source.Export(ctx, request, func(page pipeline.Page) error {
		l.rewrite(request.Stream, &page)
		return each(page)
	})
}

// Details implements Source.
func (l leavingOut) Details(ctx context.Context, request pipeline.Request, ids []string) (pipeline.Page, error) {
	page, err := l.Source.Details(ctx, request, ids)
	l.rewrite(request.Stream, &page)
	return page, err
}
