package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"sluice/pipeline/engine/config/secrets"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
)

// maxListed is longer than any name or identifier upstream, in bytes.
const maxListed = 200

func (c *checker) organizations(doc *document) {
	if len(doc.Organizations) == 0 {
		c.failf("organizations", "is missing: name at least one organization")
		return
	}
	names, ids, keys := make(map[string]string), make(map[string]string), make(map[string]string)
	for i := range doc.Organizations {
		path := fmt.Sprintf("organizations[%d]", i)
		org := &doc.Organizations[i]
		c.organization(org, path)
		if first, double := names[org.Name]; double && org.Name != "" {
			c.failf(path+".name", "is also the name of %s: give every organization its own", first)
		}
		names[org.Name] = path
		id := org.ID + " " + org.DataCenter + " " + org.Addresses.APIURL + " " + org.Addresses.ChatURL
		switch first, double := ids[id]; {
		case double && org.ID != "":
			c.failf(path+".id", "is also the id of %s in the same data center: keep one, and put all services there", first)
		case org.Key != "" && keys[org.Key] != "":
			c.sameKey(path, org, keys[org.Key])
		}
		ids[id], keys[org.Key] = path, path
		for _, name := range slices.Sorted(maps.Keys(org.Services)) {
			setting := org.Services[name]
			c.service(doc, org, name, &setting, path+".services."+name)
			c.allowance(setting.Allowance, org, path+".services."+name)
			org.Services[name] = setting
		}
		if org.Addresses.AuthURL == "" {
			c.reachable(path+".data_center", org, "vendor.auth_url", doc.Vendor.AuthURL, 0)
		}
	}
}

// sameKey reports that two organizations have one key, so their rows would be mixed.
func (c *checker) sameKey(path string, org *Organization, first string) {
	if org.Key == org.ID && c.Raw(path+".key") == "" {
		c.failf(path+".id", "is also the id of %s: rows are kept under it, so give one of the two a key of its own", first)
		return
	}
	c.failf(path+".key", "is also the key of %s: rows are kept under it, so give each its own", first)
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
	c.wantf(org.Key == org.ID || key.MatchString(org.Key), path+".key",
		"wants a word that begins with a letter, of letters, digits, - and _, not %q")
	c.address(path+".addresses.api_url", &org.Addresses.APIURL)
	c.address(path+".addresses.chat_url", &org.Addresses.ChatURL)
	c.address(path+".addresses.auth_url", &org.Addresses.AuthURL)
	if org.TimeZone != "" {
		zone, err := time.LoadLocation(org.TimeZone)
		if err != nil || org.TimeZone == "Local" {
			c.failf(path+".time_zone", "there is no time zone %q: give the IANA name, such as Asia/Kolkata", c.Raw(path+".time_zone"))
		}
		org.Location = zone
	}
	c.allowance(org.Allowance, org, path)
	c.need(path+".credentials.client_id", org.Credentials.ClientID, "the developer console of the authorization server shows it")
	c.needSecret(path+".credentials.client_secret", org.Credentials.ClientSecret, secrets.Forms)
	c.needSecret(path+".credentials.refresh_token", org.Credentials.RefreshToken,
		"sluice authorize obtains one; "+secrets.Forms)
	org.Credentials.RefreshTokenFrom = c.Raw(path + ".credentials.refresh_token")
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
	c.listed(declared, setting, path)
	if setting.BaseURL != "" {
		c.address(path+".base_url", &setting.BaseURL)
		return
	}
	key, base, own := "vendor.api_url", doc.Vendor.APIURL, org.Addresses.APIURL
	if declared.Host == schema.HostChat {
		key, base, own = "vendor.chat_url", doc.Vendor.ChatURL, org.Addresses.ChatURL
	}
	if own != "" {
		return
	}
	if c.need(key, base, "the service "+name+" is read from there; give the address of data center com") {
		c.reachable(path, org, key, base, declared.Host)
	}
}

// reachable checks that the address for the organization's data center can be derived from the
// configured one. Host zero is the authorization server.
func (c *checker) reachable(path string, org *Organization, key, base string, host schema.Host) {
	if base == "" || c.Spoilt(key) || !slices.Contains(dataCenters, org.DataCenter) {
		return
	}
	if _, err := wire.Address(base, host, org.DataCenter); err != nil {
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

// listed checks the parents that are named below a service: a key that no resource of the service
// uses is a mistake.
func (c *checker) listed(service *schema.Service, setting *Service, path string) {
	asked := make(map[schema.Listed]bool)
	for i := range service.Resources {
		if cursor, ok := service.Resources[i].Cursor.(schema.PerParent); ok {
			asked[cursor.Listed] = true
		}
	}
	for _, key := range []schema.Listed{schema.ListedNetworks, schema.ListedModules, schema.ListedContacts} {
		names, at := setting.Listed(key), path+"."+string(key)
		if len(names) > 0 && !asked[key] {
			c.failf(at, "no resource of %s is listed by %s: remove the key", service.Name, key)
			continue
		}
		seen := make(map[string]bool, len(names))
		for i, name := range names {
			switch element := fmt.Sprintf("%s[%d]", at, i); {
			case name == "" || len(name) > maxListed || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
				c.failf(element, "wants a name or an identifier of 1 to %d plain characters", maxListed)
			case seen[name]:
				c.failf(element, "is there twice: keep one")
			}
			seen[name] = true
		}
	}
}
