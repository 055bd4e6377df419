package writes

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"sluice/sandbox/endpoints"
	"sluice/sandbox/rules"
	"sluice/sandbox/world"
)

// Bounds of a request, and the form part that holds the body beside a file (no document names
// either).
const (
	mostBody   = 1 << 20
	mostUpload = 10 << 20
	bodyPart   = "JSONString"
)

// edit is one call of a write endpoint under way.
type edit struct {
	call  *endpoints.Call
	rule  rules.Rule
	body  rules.Body
	query url.Values
	file  string // name of the uploaded file; "" for none
	now   int64
	today string
	// world belongs to the caller alone while the operation runs.
	world *world.World
}

// read reads a call; an error of its form is a refusal.
func read(c *endpoints.Call, rule rules.Rule) (*edit, error) {
	now := c.Company.Time()
	e := &edit{call: c, rule: rule, query: c.Request.URL.Query(), now: now.Unix(), today: now.Format("2006-01-02")}
	kind, _, err := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
	switch {
	case err == nil && kind == "multipart/form-data":
		err = e.form(c)
	case rule.Upload.Required:
		err = refuse("send form-data with part " + rule.Upload.Part)
	case err == nil && kind == "application/x-www-form-urlencoded":
		c.Request.Body = http.MaxBytesReader(c, c.Request.Body, mostBody)
		if c.Request.ParseForm() != nil {
			return nil, refuse("the form cannot be read")
		}
		e.body, err = parse(c.Request.PostForm.Get(bodyPart))
	case c.Request.Method == http.MethodDelete:
		e.body = rules.Body{}
		err = nil
	default:
		err = e.json(c)
	}
	return e, err
}

// json reads a body without a file.
func (e *edit) json(c *endpoints.Call) error {
	data, err := io.ReadAll(http.MaxBytesReader(c, c.Request.Body, mostBody))
	if err != nil {
		return refuse("the body is too long or was cut off")
	}
	e.body, err = parse(string(data))
	return err
}

func parse(text string) (rules.Body, error) {
	body, err := rules.Read([]byte(text))
	if err != nil {
		return nil, refuse(err.Error())
	}
	return body, nil
}

// form reads a body with a file. It checks the file and discards it.
func (e *edit) form(c *endpoints.Call) error {
	c.Request.Body = http.MaxBytesReader(c, c.Request.Body, mostUpload)
	reader, err := c.Request.MultipartReader()
	if err != nil {
		return refuse("the form cannot be read")
	}
	e.body = rules.Body{}
	for {
		part, err := reader.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuse("the form cannot be read")
		}
		if err := e.part(part); err != nil {
			return err
		}
	}
	if e.rule.Upload.Required && e.file == "" {
		return refuse("part " + e.rule.Upload.Part + " is missing")
	}
	return nil
}

func (e *edit) part(part *multipart.Part) error {
	upload := e.rule.Upload
	switch {
	case part.FormName() == bodyPart:
		data, err := io.ReadAll(io.LimitReader(part, mostBody))
		if err != nil {
			return refuse("the form cannot be read")
		}
		e.body, err = parse(string(data))
		return err
	case part.FileName() == "" || upload.Part == "" || part.FormName() != upload.Part:
		return nil // unknown parts are ignored, as unknown parameters are.
	case !upload.Accepts(part.FileName()):
		return refuse(fmt.Sprintf("%s: send one of %s", upload.Part, strings.Join(upload.Extensions, ", ")))
	}
	if _, err := io.Copy(io.Discard, part); err != nil {
		return refuse("the form cannot be read")
	}
	e.file = part.FileName()
	return nil
}

// values returns the texts between commas; nil for none.
func values(text string) []string {
	var all []string
	for value := range strings.SplitSeq(text, ",") {
		if value = strings.TrimSpace(value); value != "" {
			all = append(all, value)
		}
	}
	return all
}
