package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"sluice/pipeline"
	"sluice/pipeline/upstream/body"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

const (
	// groupSize is how many records of an export are given at once, groupBytes how many bytes of
	// them at most, but for the last record. Each group is a transaction, whose commit costs the
	// same for a small group.
	groupSize  = 5000
	groupBytes = 4 << 20
)

// Export streams a list that is one CSV body and gives its records in groups of thousands, each
// record a JSON object of strings. Groups that were given stay valid if an error follows, but only
// a nil error says that the list is whole. An error of each ends Export, which returns it
// unchanged. Where the body ends with a token for more, further calls follow, each counted. Source:
// docs/upstream.md U251 to U254.
func (c *Client) Export(ctx context.Context, request pipeline.Request, each func(pipeline.Page) error) error {
	resource := request.Stream.Resource
	param := fieldsParam(resource)
	if param == "" {
		return &pipeline.Error{
			Kind: pipeline.Unexpected, Op: c.about("export", request), Detail: "its declaration is not that of an export",
		}
	}
	var fields []string
	for _, column := range resource.Columns {
		if !column.Given {
			fields = append(fields, column.Wire)
		}
	}
	seen := map[string]bool{}
	for next := ""; ; {
		t := targetOf(request)
		t.path, t.fill, t.query, t.csv = resource.Path, parentIn(request), valuesOf(resource.Params), true
		t.page = 0
		t.query.Set(param, strings.Join(fields, ","))
		if next != "" {
			t.query.Set("next_token", next)
		}
		err := c.openExport(ctx, t, func(op wire.Call, number int64, answer *wire.Reply, result *pipeline.CallResult) error {
			var err error
			next, err = c.rows(op, number, answer, result, fields, each)
			return err
		})
		if err != nil || next == "" {
			return err
		}
		if seen[next] {
			return &pipeline.Error{
				Kind: pipeline.Unexpected, Op: c.about("export", request), Detail: "the answer gave the same next_token twice",
			}
		}
		seen[next] = true
	}
}

// fieldsParam is the parameter that names the columns of an export, also of an export under a
// parent; "" if the list is no export.
func fieldsParam(resource *schema.Resource) string {
	cursor := resource.Cursor
	if parents, ok := cursor.(schema.PerParent); ok {
		cursor = parents.List
	}
	if export, ok := cursor.(schema.Export); ok {
		return export.FieldsParam
	}
	return ""
}

// openExport makes one CSV call; take reads the body of a good answer.
func (c *Client) openExport(ctx context.Context, t target, take func(wire.Call, int64, *wire.Reply, *pipeline.CallResult) error) error {
	return c.call(ctx, t, c.door.Settings().Export, func(op wire.Call, number int64, answer *wire.Reply, result *pipeline.CallResult) error {
		switch {
		case answer.Status == http.StatusNoContent:
			return nil
		case answer.Status != http.StatusOK || !mayBeCSV(answer.Header):
			return c.judgeOther(op, answer, nil)
		case !answer.Sized:
			return c.failure(op, pipeline.Unexpected, answer, "",
				"a body without length or chunks, of which a lost end would not be noticed", nil)
		}
		return take(op, number, answer, result)
	})
}

// rows reads one export body and gives the token for the next call.
func (c *Client) rows(
	op wire.Call, number int64, answer *wire.Reply, result *pipeline.CallResult, fields []string, each func(pipeline.Page) error,
) (string, error) {
	rows, other, err := body.NewRows(answer.Body, fields)
	if err != nil {
		return "", c.judgeOther(op, answer, other)
	}
	var group [][]byte
	size := 0
	flush := func(more bool) error {
		if len(group) == 0 {
			return nil
		}
		page := pipeline.Page{Call: number, Date: wire.DateOf(answer.Header), Records: group, More: more, PerPage: groupSize}
		group, size = nil, 0
		return each(page)
	}
	for {
		row, err := rows.Next()
		switch {
		case errors.Is(err, io.EOF):
			return rows.NextToken(), flush(rows.NextToken() != "")
		case errors.Is(err, body.ErrShape):
			return "", c.failure(op, pipeline.Unexpected, answer, "", "", err)
		case err != nil:
			return "", c.failure(op, pipeline.Unavailable, answer, "", "", err)
		}
		if len(group) == groupSize || size >= groupBytes {
			if err := flush(true); err != nil {
				return "", err
			}
		}
		group = append(group, row)
		size += len(row)
		result.Records++
	}
}

// judgeOther gives the error of a body that is no CSV. It never returns nil.
func (c *Client) judgeOther(op wire.Call, answer *wire.Reply, start []byte) error {
	if start == nil {
		var err error
		if start, err = wire.ReadAll(op, answer, c.maxBody); err != nil {
			return err
		}
	} else {
		// The body was labelled CSV; its content decides.
		answer.Header = answer.Header.Clone()
		answer.Header.Set("Content-Type", http.DetectContentType(start))
		if start[0] == '{' {
			answer.Header.Set("Content-Type", "application/json")
		}
	}
	if _, err := c.judge(op, answer, start, schema.EnvelopeCoded, body.Own{}); err != nil {
		return err
	}
	return c.failure(op, pipeline.Unexpected, answer, "", "JSON where CSV was asked for", nil)
}

// checkExport makes the probe call of a service that answers with CSV. It reads only as far as it
// takes to see that the answer is CSV.
func (c *Client) checkExport(ctx context.Context, organization *pipeline.Organization, service *schema.Service) error {
	t := target{
		organization: organization, service: service, path: service.Probe.Path, resource: resourceOf(service.Probe.Path),
		class: pipeline.ClassProbe, query: valuesOf(service.Probe.Query), csv: true,
	}
	return c.openExport(ctx, t, func(op wire.Call, _ int64, answer *wire.Reply, _ *pipeline.CallResult) error {
		if _, other, err := body.NewRows(answer.Body, nil); err != nil {
			return c.judgeOther(op, answer, other)
		}
		if err := answer.Lost(); err != nil {
			return c.failure(op, pipeline.Unavailable, answer, "", "", err)
		}
		return nil
	})
}

// mayBeCSV says that the content type does not rule CSV out.
func mayBeCSV(header http.Header) bool {
	isJSON, charset := wire.MediaType(header)
	label := strings.ToLower(header.Get("Content-Type"))
	if label == "" {
		return true
	}
	return !isJSON && !strings.Contains(label, "html") && !strings.Contains(label, "xml") &&
		(charset == "" || strings.EqualFold(charset, "utf-8"))
}
