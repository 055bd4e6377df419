package config

import (
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"sluice/cmd/sluice/config/strict"
	"sluice/pipeline/upstream"
	"sluice/schema"
)

// maxWorkers is above what any allowance upstream can feed.
const maxWorkers = 64

// Closed sets and shapes of values.
//
//nolint:gochecknoglobals // constants
var (
	logLevels = []string{"debug", "info", "warn", "error"}
	digits    = regexp.MustCompile(`^[0-9]{1,32}$`)
	brand     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]{0,31}$`)
	// dataCenters are the domain suffixes of the documents (documents 1 to 3,
	// "Versioning"); which address each has is for package upstream to say.
	dataCenters = []string{"ca", "cn", "com", "com.au", "com.cn", "eu", "in", "jp", "sa", "uk"}
)

// checker holds the rules that go beyond the type of one value.
type checker struct {
	*strict.Document

	getenv   func(string) (string, bool)
	services map[string]*schema.Service
}

func newChecker(file *strict.Document, getenv func(string) (string, bool), services []schema.Service) *checker {
	c := &checker{Document: file, getenv: getenv, services: make(map[string]*schema.Service, len(services))}
	for i := range services {
		c.services[services[i].Name] = &services[i]
	}
	return c
}

// isRoot says whether the process runs as root.
func isRoot() bool { return os.Geteuid() == 0 }

// failf records a mistake about a value that can be shown, unless it or what holds
// it is wrong already. Messages quote the value as it is written (Raw): a variable
// may have brought a secret into it.
func (c *checker) failf(path, format string, args ...any) {
	if !c.Spoilt(path) {
		c.Addf(path, true, format, args...)
	}
}

// need records that a key is missing, unless it is there and wrong already.
func (c *checker) need(path, value, what string) bool {
	if value == "" {
		c.failf(path, "is missing: %s", what)
		return false
	}
	return !c.Spoilt(path)
}

// process checks what concerns our own process.
func (c *checker) process(cfg *Config) {
	if cfg.Workers < 1 || cfg.Workers > maxWorkers {
		c.failf("workers", "has to be 1 to %d, not %s", maxWorkers, c.Raw("workers"))
	}
	if !slices.Contains(logLevels, cfg.Log.Level) {
		c.failf("log.level", "there is no level %q; %s", c.Raw("log.level"), strict.Hint(cfg.Log.Level, logLevels))
	}
	if share := cfg.Quarantine.MaxShare; !(share >= 0 && share <= 1) {
		c.failf("quarantine.max_share", "has to be a share from 0 to 1, not %s: 0.05 is five in a hundred", c.Raw("quarantine.max_share"))
	}
	_, port, err := net.SplitHostPort(cfg.Listen)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		c.failf("listen", "wants host:port, such as 127.0.0.1:9464, not %q", c.Raw("listen"))
	}
}

func (c *checker) vendor(v *Vendor) {
	if !brand.MatchString(v.Name) {
		c.failf("vendor.name", "wants letters and digits, as it goes into headers and scopes, not %q", c.Raw("vendor.name"))
	}
	c.address("vendor.api_url", &v.APIURL)
	c.address("vendor.chat_url", &v.ChatURL)
	if c.need("vendor.auth_url", v.AuthURL, "give the address of the authorization server of data center com") {
		c.address("vendor.auth_url", &v.AuthURL)
	}
}

// address checks a base address and takes the slash off its end. Messages and
// excerpts never hold the address: credentials may be in it.
func (c *checker) address(path string, into *string) {
	if *into == "" || c.Spoilt(path) {
		return
	}
	u, err := url.Parse(*into)
	switch {
	case err != nil || u.Hostname() == "" || (u.Scheme != "https" && u.Scheme != "http"):
		c.Addf(path, false, "is not an address: write https://host")
	case u.User != nil:
		c.Addf(path, false, "holds a user name or password: remove everything before the @")
	case u.RawQuery != "" || u.Fragment != "" || u.ForceQuery:
		c.Addf(path, false, "holds a query or a fragment: end the address before the ? or #")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		c.Addf(path, false, "sends tokens in clear: write https (plain http is for this machine only)")
	default:
		*into = strings.TrimRight(*into, "/")
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

func (c *checker) organizations(doc *document) {
	if len(doc.Organizations) == 0 {
		c.failf("organizations", "is missing: name at least one organization")
		return
	}
	names, ids := make(map[string]string), make(map[string]string)
	for i := range doc.Organizations {
		path := fmt.Sprintf("organizations[%d]", i)
		org := &doc.Organizations[i]
		c.organization(org, path)
		if first, double := names[org.Name]; double && org.Name != "" {
			c.failf(path+".name", "is also the name of %s: give every organization its own", first)
		}
		names[org.Name] = path
		key := org.ID + " " + org.DataCenter
		if first, double := ids[key]; double && org.ID != "" {
			c.failf(path+".id", "is also the id of %s in the same data center: keep one, and put all services there", first)
		}
		ids[key] = path
		for _, name := range slices.Sorted(maps.Keys(org.Services)) {
			setting := org.Services[name]
			c.service(doc, org, name, &setting, path+".services."+name)
			org.Services[name] = setting
		}
		c.reachable(path+".data_center", org, "vendor.auth_url", doc.Vendor.AuthURL, 0)
	}
}

func (c *checker) organization(org *Organization, path string) {
	if c.need(path+".name", org.Name, "choose one, commands and messages use it") &&
		strings.ContainsFunc(org.Name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		c.failf(path+".name", "holds characters that do not print: write a plain name")
	}
	if c.need(path+".id", org.ID, "the organizations list of the service has it as organization_id") && !digits.MatchString(org.ID) {
		c.failf(path+".id", "wants the digits of organization_id, not %q", c.Raw(path+".id"))
	}
	if !slices.Contains(dataCenters, org.DataCenter) {
		c.failf(path+".data_center", "there is no data center %q; write one of: %s", c.Raw(path+".data_center"), strings.Join(dataCenters, ", "))
	}
	if c.need(path+".time_zone", org.TimeZone, "give the IANA name, such as Asia/Kolkata") {
		zone, err := time.LoadLocation(org.TimeZone)
		if err != nil || org.TimeZone == "Local" {
			c.failf(path+".time_zone", "there is no time zone %q: give the IANA name, such as Asia/Kolkata", c.Raw(path+".time_zone"))
		}
		org.Location = zone
	}
	c.need(path+".credentials.client_id", org.Credentials.ClientID, "the developer console of the authorization server shows it")
	c.need(path+".credentials.client_secret", org.Credentials.ClientSecret.Reveal(), "write ${NAME} or file:/path")
	c.need(path+".credentials.refresh_token", org.Credentials.RefreshToken.Reveal(),
		"docs/operations.md says how to obtain one; write ${NAME} or file:/path")
	if len(org.Services) == 0 {
		c.failf(path+".services", "is missing: name at least one of %s", strings.Join(c.serviceNames(), ", "))
	}
}

func (c *checker) serviceNames() []string { return slices.Sorted(maps.Keys(c.services)) }

// service checks the choice for one service of one organization.
func (c *checker) service(doc *document, org *Organization, name string, setting *Service, path string) {
	declared, ok := c.services[name]
	if !ok {
		c.failf(path, "there is no such service; write one of: %s", strings.Join(c.serviceNames(), ", "))
		return
	}
	c.plan(declared, setting.Plan, path+".plan")
	if setting.BaseURL != "" {
		c.address(path+".base_url", &setting.BaseURL)
		return
	}
	key, base := "vendor.api_url", doc.Vendor.APIURL
	if declared.Host == schema.HostChat {
		key, base = "vendor.chat_url", doc.Vendor.ChatURL
	}
	if c.need(key, base, "the service "+name+" is read from there; give the address of data center com") {
		c.reachable(path, org, key, base, declared.Host)
	}
}

// reachable checks that the address for the organization's data center can be
// made out of the one that is configured. Host zero is the authorization server.
func (c *checker) reachable(path string, org *Organization, key, base string, host schema.Host) {
	if base == "" || c.Spoilt(key) || !slices.Contains(dataCenters, org.DataCenter) {
		return
	}
	if _, err := upstream.Address(base, host, org.DataCenter); err != nil {
		c.failf(path, "%s gives no address for data center %s: %v", key, org.DataCenter, err)
	}
}

func (c *checker) plan(service *schema.Service, plan, path string) {
	allowed := slices.Sorted(maps.Keys(service.Limits.Plans))
	if len(allowed) == 0 {
		if plan != "" {
			c.failf(path, "the documents name no plans of %s: remove the key", service.Name)
		}
		return
	}
	if !c.need(path, plan, "it decides how many calls are allowed; write one of: "+strings.Join(allowed, ", ")) {
		return
	}
	if _, ok := service.Limits.Plans[plan]; !ok {
		c.failf(path, "%s has no plan %q; write one of: %s", service.Name, c.Raw(path), strings.Join(allowed, ", "))
	}
}
