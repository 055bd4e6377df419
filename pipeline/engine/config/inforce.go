package config

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is one value of the configuration in force, by its path in the file. Of a secret it says
// where it comes from.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
	// Secret says that the value itself is not shown.
	Secret bool `json:"secret,omitempty"`
}

// Settings returns the configuration in force, defaults included, in the order of the file's
// sections. Values that are empty are left out. Resources are not among them.
func (c *Config) Settings() []Setting {
	l := lister{from: c.SecretsFrom}
	l.list("", reflect.ValueOf(c).Elem())
	return l.found
}

// Secrets returns the secrets of the configuration, and the addresses of databases, which may hold
// one, by their paths in the file.
func (c *Config) Secrets() map[string]Secret {
	l := lister{secrets: make(map[string]Secret)}
	l.list("", reflect.ValueOf(c).Elem())
	return l.secrets
}

type lister struct {
	found   []Setting
	from    map[string]string
	secrets map[string]Secret
}

func (l *lister) add(path, value string) {
	l.found = append(l.found, Setting{Path: path, Value: value})
}

func (l *lister) list(path string, v reflect.Value) {
	if secret, ok := reflect.TypeAssert[Secret](v); ok {
		if l.secrets != nil {
			l.secrets[path] = secret
		}
		if secret.Reveal() != "" || l.from[path] != "" {
			l.found = append(l.found, Setting{Path: path, Value: l.from[path], Secret: true})
		}
		return
	}
	if v.IsZero() && v.Kind() != reflect.Bool && v.Kind() != reflect.Int {
		return
	}
	if d, ok := reflect.TypeAssert[time.Duration](v); ok {
		l.add(path, d.String())
		return
	}
	if text, ok := reflect.TypeAssert[encoding.TextMarshaler](v); ok {
		if written, err := text.MarshalText(); err == nil {
			l.add(path, string(written))
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		l.list(path, v.Elem())
	case reflect.Struct:
		l.fields(path, v)
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			l.list(under(path, key.String()), v.MapIndex(key))
		}
	case reflect.Slice:
		for i := range v.Len() {
			l.list(path+"["+strconv.Itoa(i)+"]", v.Index(i))
		}
	default:
		l.add(path, fmt.Sprint(v.Interface()))
	}
}

// fields lists the fields that have a key in the file. Embedded ones have the keys of the struct
// around them.
func (l *lister) fields(path string, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		switch {
		case field.Anonymous:
			l.fields(path, v.Field(i))
		case name != "" && name != "-" && field.IsExported():
			l.list(under(path, name), v.Field(i))
		}
	}
}

func under(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
