package probe

import (
	"context"

	"sluice/pipeline"
	"sluice/schema"
)

// batchOf is how many records a probe asks the batch path for.
const batchOf = 2

// details asks for single records by the paths that the declaration names. It asks for records that
// the list has just shown, so they are known to exist.
func (p *prober) details(ctx context.Context) error {
	resource := p.stream.Resource
	if single := resource.Single; single != nil {
		// Runs read single records only where lists leave something out. The probe asks in any case
		// whether the path exists.
		if err := p.singles(ctx, pipeline.CapabilityDetail, single.Path, schema.Details{}, 1); err != nil {
			return err
		}
	}
	if details := resource.Details; details != nil && details.Batch != nil {
		return p.singles(ctx, pipeline.CapabilityBatchDetail, details.Batch.Path, *details, batchOf)
	}
	return nil
}

func (p *prober) singles(ctx context.Context, c pipeline.Capability, path string, by schema.Details, most int) error {
	var ids []string
	for _, r := range p.known {
		if len(ids) < most {
			ids = append(ids, r.id)
		}
	}
	if len(ids) == 0 {
		p.found(unknown(c, "no record is known that could be asked for"))
		return nil
	}
	resource := *p.stream.Resource
	resource.Details = &by
	request := p.request(0, 0)
	request.Stream.Resource = &resource
	p.result.Calls++
	page, err := p.source.Details(ctx, request, ids)
	page.Turn.End()
	switch {
	case pipeline.KindOf(err) == pipeline.Unexpected:
		p.found(no(c, path, "%s", err.Error()))
	case err != nil:
		return err
	case len(page.Records) == 0:
		p.found(no(c, path, "records that the list has just shown are not found there"))
	default:
		p.found(yes(c, path, "%d of %d records came", len(page.Records), len(ids)))
	}
	return nil
}
