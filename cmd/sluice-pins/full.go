package main

import "context"

const fullSteps = `
	sync
	=first
	@change {"seed":2,"inserts":1,"edits":2,"deletes":1}
	*100
	sync
	sync --org first
`

// full copies two organizations with one command, as schedulers do. The order of the streams is a
// matter of time, so the pins hold none.
func (r *recorder) full(ctx context.Context) error {
	j, err := r.begin(ctx, "full", "--seed", "5", "--records", "120", "--plan", "premium", "--organizations", "60099999999")
	if err != nil {
		return err
	}
	defer j.upstream.stop()
	j.anyOrder = true
	if err := j.configure(headersServices, headersRest); err != nil {
		return err
	}
	if err := j.migrate(ctx); err != nil {
		return err
	}
	return j.end(ctx, fullSteps)
}
