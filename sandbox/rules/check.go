package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Body is an object as it was sent: values by name, in their original spelling.
type Body map[string]json.RawMessage

// Problem is one error of a call.
type Problem struct {
	Field string // "" for the whole body
	Text  string
}

// String writes a problem for the message of the answer.
func (p Problem) String() string {
	if p.Field == "" {
		return p.Text
	}
	return p.Field + ": " + p.Text
}

// Message writes problems as one text.
func Message(problems []Problem) string {
	texts := make([]string, len(problems))
	for n, p := range problems {
		texts[n] = p.String()
	}
	return strings.Join(texts, "; ")
}

// Check returns all errors of a body, in the order of the rule's fields; none for a good one. It
// ignores unknown fields, as live services do. A creating call also needs the fields that the
// sandbox assumes to be necessary.
func (r Rule) Check(body Body, creating bool) []Problem {
	var problems []Problem
	for _, name := range r.Required {
		if Absent(body[name]) {
			problems = append(problems, Problem{name, "is required"})
		}
	}
	for _, name := range r.Needed {
		if creating && Absent(body[name]) {
			problems = append(problems, Problem{name, "is needed"})
		}
	}
	problems = append(problems, checkFields("", r.Fields, body)...)
	if len(problems) == 0 && r.whole != nil {
		return r.whole(body, creating)
	}
	return problems
}

// Accepts reports whether a file name is accepted.
func (u Upload) Accepts(name string) bool {
	extension := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
	return extension != "" && slices.Contains(u.Extensions, extension)
}

// Absent reports whether a value is absent; null and "" count as absent.
func Absent(value json.RawMessage) bool {
	value = bytes.TrimSpace(value)
	return len(value) == 0 || string(value) == "null" || string(value) == `""`
}

func checkFields(under string, fields []Field, body Body) []Problem {
	var problems []Problem
	for _, f := range fields {
		if value := body[f.Name]; !Absent(value) {
			problems = append(problems, f.check(under+f.Name, value)...)
		}
	}
	return problems
}

// check returns the errors of a value that is present.
func (f Field) check(name string, value json.RawMessage) []Problem {
	switch f.Type {
	case Free:
		return nil
	case List:
		return f.checkList(name, value)
	case Object:
		var inner Body
		if json.Unmarshal(value, &inner) != nil {
			return []Problem{{name, "is no object"}}
		}
		return checkFields(name+".", f.Fields, inner)
	case Text, ID, IDs, Number, Whole, Flag, Day, Instant:
	}
	text, isText := Plain(value)
	if !isText || f.Type == Text && value[0] != '"' {
		return []Problem{{name, "is no " + f.Type.String()}}
	}
	if !f.Type.fits(text) {
		return []Problem{{name, "is no " + f.Type.String()}}
	}
	var problems []Problem
	if f.Most > 0 && utf8.RuneCountInString(text) > f.Most {
		problems = append(problems, Problem{name, fmt.Sprintf("is longer than %d characters", f.Most)})
	}
	if values := slices.Concat(f.Values, f.More); f.Values != nil && !slices.Contains(values, text) {
		problems = append(problems, Problem{name, "is none of " + strings.Join(values, ", ")})
	}
	return problems
}

func (f Field) checkList(name string, value json.RawMessage) []Problem {
	var elements []json.RawMessage
	if json.Unmarshal(value, &elements) != nil {
		return []Problem{{name, "is no list"}}
	}
	element := Field{Type: Object, Fields: f.Fields}
	if f.Fields == nil {
		element = Field{Type: IDs} // texts or numbers
	}
	var problems []Problem
	for n, one := range elements {
		problems = append(problems, element.check(fmt.Sprintf("%s[%d]", name, n), one)...)
	}
	return problems
}

// Plain returns the text of a JSON text, number or flag; false for other values.
func Plain(value json.RawMessage) (string, bool) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 {
		return "", false
	}
	switch value[0] {
	case '"':
		var text string
		err := json.Unmarshal(value, &text)
		return text, err == nil
	case '{', '[', 'n':
		return "", false
	default:
		return string(value), true
	}
}

// Bounds of a number: a caller cannot make the sandbox compute with 10^1000000, and cents fit 64
// bits.
const (
	mostDigits = 40
	mostAmount = 1e15
)

var (
	decimal    = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?$`)
	identifier = regexp.MustCompile(`^[^,{}\[\]"\s]+$`)
)

// Decimal reads an amount exactly; false for other texts.
func Decimal(text string) (*big.Rat, bool) {
	if len(text) > mostDigits || !decimal.MatchString(text) {
		return nil, false
	}
	amount, ok := new(big.Rat).SetString(text)
	if !ok || new(big.Rat).Abs(amount).Cmp(new(big.Rat).SetInt64(mostAmount)) > 0 {
		return nil, false
	}
	return amount, true
}

func (t Type) fits(text string) bool {
	switch t {
	case Number:
		_, ok := Decimal(text)
		return ok
	case Whole:
		_, err := strconv.ParseInt(text, 10, 64)
		return err == nil
	case Flag:
		return text == "true" || text == "false"
	case Day:
		_, err := time.Parse(time.DateOnly, text)
		return err == nil
	case Instant:
		_, err := time.Parse("2006-01-02T15:04:05-0700", text)
		_, colon := time.Parse(time.RFC3339, text)
		return err == nil || colon == nil
	case ID:
		return identifier.MatchString(text)
	case Text, IDs, List, Object, Free:
		return true
	}
	return false
}

// String returns the name of a type for messages.
func (t Type) String() string {
	return [...]string{
		"text", "identifier", "identifiers with commas between", "number", "whole number", "boolean", "date (YYYY-MM-DD)",
		"date-time with an offset", "list", "object", "value",
	}[t]
}

// Read reads a body: one JSON object; an empty body is an empty object.
func Read(data []byte) (Body, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return Body{}, nil
	}
	var body Body
	if err := json.Unmarshal(data, &body); err != nil || body == nil {
		return nil, errors.New("the body is no JSON object")
	}
	return body, nil
}

// Text returns a value as text; "" if it is absent or no plain value.
func (b Body) Text(name string) string {
	text, _ := Plain(b[name])
	return text
}

// Amount returns a value as an exact number; 0 if it is absent or no number.
func (b Body) Amount(name string) *big.Rat {
	if amount, ok := Decimal(b.Text(name)); ok {
		return amount
	}
	return new(big.Rat)
}

// Flag reports whether a value is true.
func (b Body) Flag(name string) bool { return b.Text(name) == "true" }

// List returns the objects of a list; nil if it is absent or holds other values.
func (b Body) List(name string) []Body {
	var elements []Body
	if json.Unmarshal(b[name], &elements) != nil {
		return nil
	}
	return elements
}

// InBase returns an amount in the organization's own currency, by the exchange_rate beside it;
// without a rate it is in that currency already.
func InBase(amount *big.Rat, beside Body) *big.Rat {
	rate := beside.Amount("exchange_rate")
	if rate.Sign() == 0 {
		return Cents(amount)
	}
	return Cents(rate.Mul(rate, amount))
}

// Cents cuts off fractions of a cent, as records do with amounts in the organization's own
// currency.
func Cents(amount *big.Rat) *big.Rat {
	const hundred = 100
	whole := new(big.Rat).Mul(amount, big.NewRat(hundred, 1))
	return new(big.Rat).SetFrac(new(big.Int).Quo(whole.Num(), whole.Denom()), big.NewInt(hundred))
}
