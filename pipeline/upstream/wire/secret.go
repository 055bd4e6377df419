package wire

import (
	"fmt"
	"io"
	"log/slog"
)

// Redacted replaces a secret in texts.
const Redacted = "[redacted]"

// Secret is a value that never prints: every way of formatting or encoding it gives "[redacted]"
// (invariant 10). The zero value is the empty secret.
type Secret struct {
	// It is a pointer because package fmt prints unexported fields of an enclosing struct without
	// calling methods: then it prints an address, not the value.
	value *string
}

// NewSecret wraps a value.
func NewSecret(value string) Secret { return Secret{value: &value} }

// Reveal gives the value, for the code that has to send it.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Format implements fmt.Formatter, for all verbs.
func (Secret) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, Redacted) // a formatter cannot return an error
}

// String implements fmt.Stringer.
func (Secret) String() string { return Redacted }

// GoString implements fmt.GoStringer.
func (Secret) GoString() string { return Redacted }

// MarshalJSON implements json.Marshaler.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + Redacted + `"`), nil }

// MarshalText implements encoding.TextMarshaler.
func (Secret) MarshalText() ([]byte, error) { return []byte(Redacted), nil }

// LogValue implements slog.LogValuer.
func (Secret) LogValue() slog.Value { return slog.StringValue(Redacted) }

// Renewed is an access token that takes the place of one that upstream refused. Made says that it
// was fetched for that; else another caller has fetched it, and it may have ended since.
type Renewed struct {
	Token   Secret
	Version int64
	Made    bool
}
