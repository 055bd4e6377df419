package cli

import (
	"context"
	"fmt"
	"time"

	"sluice/pipeline/engine"
)

// resetWatermarks sets the watermarks of the named streams that are ahead of time back to the last
// proven ones, and says so.
func (c *cli) resetWatermarks(ctx context.Context, a *engine.App, names []string, organization string) error {
	if len(names) == 0 {
		return usage("--reset-watermark: name the resources whose watermark is ahead of time (sluice status)")
	}
	streams, err := a.Select(names, organization)
	if err != nil {
		return err
	}
	none := true
	for _, stream := range streams {
		before, after, reset, err := a.DB.ResetWatermark(ctx, stream.Key())
		if err != nil {
			return err
		}
		if !reset {
			continue
		}
		none = false
		to := "none: the whole list is read"
		if !after.IsZero() {
			to = after.UTC().Format(time.RFC3339)
		}
		if _, err := fmt.Fprintf(c.env.Stderr, "%s: the watermark goes back from %s to %s\n", stream, before.UTC().Format(time.RFC3339), to); err != nil {
			return fmt.Errorf("say what is reset: %w", err)
		}
	}
	if none {
		if _, err := fmt.Fprintln(c.env.Stderr, "no watermark of these is ahead of time: nothing is reset"); err != nil {
			return fmt.Errorf("say that nothing is reset: %w", err)
		}
	}
	return nil
}
