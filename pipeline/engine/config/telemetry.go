package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Telemetry says where traces go.
type Telemetry struct {
	// OTLP is the address of a collector that takes traces by OTLP over HTTP; empty means that none
	// are made.
	OTLP string `yaml:"otlp"`
	// AllowInsecure says that OTLP may name another host by plain http.
	AllowInsecure bool `yaml:"allow_insecure"`
	// Sample is the share of the chunks that are traced, above 0 and up to 1.
	Sample float64 `yaml:"sample"`
	// Headers go with every request to the collector. They are secrets.
	Headers map[string]Secret `yaml:"headers"`
}

// headersPath is where the headers are in the file.
const headersPath = "telemetry.headers."

// headerName is the form of a header's name (RFC 9110, token).
var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$") //nolint:gochecknoglobals // a constant

// ownHeaders are those that the sender itself sets.
var ownHeaders = []string{"content-type", "content-encoding", "content-length", "user-agent", "host"} //nolint:gochecknoglobals // a constant

func (c *checker) telemetry(t *Telemetry) {
	c.clearOr("telemetry.otlp", &t.OTLP, t.AllowInsecure, "sends headers and traces in clear: write https, or, if the network between "+
		"is yours alone, telemetry.allow_insecure: true (this machine needs neither)")
	c.wantf(t.Sample > 0 && t.Sample <= 1, "telemetry.sample", "has to be a share above 0 and up to 1, not %s: "+
		"0.1 traces one chunk in ten, and without otlp none is traced")
	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		path := headersPath + name
		switch {
		case !headerName.MatchString(name):
			c.Addf(path, false, "is no name of a header: write letters, digits and hyphens, such as authorization")
		case slices.Contains(ownHeaders, strings.ToLower(name)):
			c.Addf(path, false, "is a header that sluice sets itself: remove it")
		default:
			c.needSecret(path, t.Headers[name], "write ${NAME} or file:/path")
		}
	}
	if t.OTLP == "" && len(t.Headers) > 0 {
		c.failf("telemetry.headers", "has no effect without telemetry.otlp: add the address of the collector, or remove the headers")
	}
}
