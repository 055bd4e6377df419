package writes

import (
	"errors"
	"fmt"
	"net/http"

	"sluice/sandbox/answer"
	"sluice/sandbox/endpoints"
	"sluice/sandbox/rules"
	"sluice/sandbox/world"
	"sluice/sandbox/world/overlay"
)

// refusal is the reason why a call changes nothing.
type refusal struct {
	status, code int
	message      string
}

func (r refusal) Error() string { return r.message }

// refuse returns a refusal of the request. Status 400 is documented, its code is not.
func refuse(message string) error {
	return refusal{http.StatusBadRequest, answer.InvalidValue, message}
}

// wrong returns one refusal for all problems of a call; nil for none.
func wrong(problems []rules.Problem) error {
	if len(problems) == 0 {
		return nil
	}
	return refuse(rules.Message(problems))
}

// missing returns the refusal of a call for an unknown record.
func missing() error {
	return refusal{http.StatusNotFound, answer.NoSuchRecord, "Resource does not exist."}
}

// said is the answer to a call.
type said struct {
	status int
	body   []byte
}

// operation is the effect of a row. It has the world to itself; an error changes nothing.
type operation struct {
	answers shape
	do      func(*edit) (said, error)
}

// serve returns the handler of a row.
func serve(rule rules.Rule, does operation) func(*endpoints.Call) {
	return func(c *endpoints.Call) {
		e, err := read(c, rule)
		var reply said
		if err == nil {
			c.Company.With(func(w *world.World) {
				e.world = w
				reply, err = does.do(e)
			})
		}
		if err != nil {
			fail(c, err)
			return
		}
		answer.Body(c, reply.status, answer.JSONType, reply.body)
	}
}

// fail answers a refusal. The header says that no document shows its code and message.
func fail(c *endpoints.Call, err error) {
	why := refusal{http.StatusBadRequest, answer.InvalidValue, err.Error()}
	errors.As(err, &why)
	c.Header().Set(endpoints.AssumedHeader, endpoints.ErrorsAssumed)
	answer.Error(c, why.status, why.code, why.message)
}

// assume adds an undocumented fact to the answer.
func (e *edit) assume(fact string) {
	if before := e.call.Header().Get(endpoints.AssumedHeader); before != "" {
		fact = before + "; " + fact
	}
	e.call.Header().Set(endpoints.AssumedHeader, fact)
}

// shape builds an answer around a record: under a key, "" for none, which may have an array of one.
type shape struct {
	key   string
	array bool
	put   func(status int, message string, record *overlay.Object) said
}

// object puts the record under a key.
func object(key string) shape {
	return shape{key: key, put: func(status int, message string, record *overlay.Object) said {
		return envelope(status, message, key, record.Append(nil))
	}}
}

// list puts the record under a key, as a list of one.
func list(key string) shape {
	return shape{key, true, func(status int, message string, record *overlay.Object) said {
		return envelope(status, message, key, append(record.Append([]byte("[")), ']'))
	}}
}

// beside puts the record's fields beside code and message (docs/upstream.md U176).
func beside(status int, message string, record *overlay.Object) said {
	whole := overlay.NewObject()
	whole.SetWhole("code", 0)
	whole.SetText("message", message)
	for _, name := range record.Names() {
		whole.Set(name, record.Get(name))
	}
	return said{status, whole.Append(nil)}
}

// briefTax puts the fields that the document names for the update of a tax: id, name, percentage,
// type, authority id and name, is_value_added (docs/upstream.md U214).
func briefTax(status int, message string, record *overlay.Object) said {
	brief := overlay.NewObject()
	for _, name := range []string{
		"tax_id", "tax_name", "tax_percentage", "tax_type", "tax_authority_id", "tax_authority_name", "is_value_added",
	} {
		brief.Set(name, record.Get(name))
	}
	return object("tax").put(status, message, brief)
}

// envelope returns code, message and a value under a key; without a key there is no value.
func envelope(status int, message, key string, value []byte) said {
	body := fmt.Appendf(nil, `{"code":0,"message":%q`, message)
	if key != "" {
		body = fmt.Appendf(body, `,%q:%s`, key, value)
	}
	return said{status, append(body, '}')}
}

func done(message string) said { return envelope(http.StatusOK, message, "", nil) }
