// Package config reads the configuration, which is one YAML file. Secrets come from the
// environment, from files of their own or from commands, and are never written in it.
//
// It reports all mistakes at once, each with its line and with what to do. It never opens a
// connection and never prints a secret: even the excerpt of a source line masks a value that may be
// one.
//
// Start reading at Load. Config has the keys, validate.go the rules, package strict the reading of
// YAML.
package config

import (
	"time"
	_ "time/tzdata" // a time zone has to load on machines without zone files

	"sluice/pipeline"
	"sluice/pipeline/upstream/wire"
	"sluice/schema"
	"sluice/schema/custom"
	"sluice/schema/redact"
)

// Config is the whole configuration, checked and with every default filled in. The tag of each
// field is its key in the file.
type Config struct {
	Database Database `yaml:"database"`
	Vendor   Vendor   `yaml:"vendor"`
	// Totals says whether lists are asked how many records they have.
	Totals Totals `yaml:"totals"`
	// Organizations are the organizations to copy.
	Organizations []Organization `yaml:"organizations"`
	// Services are the declared services. The user-declared resources of the file follow the
	// built-in ones.
	Services []schema.Service `yaml:"-"`
	// Resources has one entry for every resource of Services, by its full name ("inventory.bills"),
	// overrides applied.
	Resources map[string]Resource `yaml:"-"`
	// Workers is the number of jobs that one process works at once.
	Workers int `yaml:"workers"`
	Log     Log `yaml:"log"`
	// Listen is the address of the pages that sluice serve offers for health and metrics.
	Listen     string     `yaml:"listen"`
	Quarantine Quarantine `yaml:"quarantine"`
	Schedule   Schedule   `yaml:"schedule"`
	Budget     Budget     `yaml:"budget"`
	Retention  Retention  `yaml:"retention"`
	Tombstones Tombstones `yaml:"tombstones"`
	// Privacy says what is left out of the records of all resources.
	Privacy Privacy `yaml:"privacy"`
	// Notifications says how change notifications are received.
	Notifications Notifications `yaml:"notifications"`
	// Telemetry says where traces go.
	Telemetry Telemetry `yaml:"telemetry"`
	// Console says where the console is and who may see it.
	Console Console `yaml:"console"`
	// Events are the receivers that are told what changed.
	Events []EventReceiver `yaml:"events"`
	// Lake says where sluice-lake publishes the tables.
	Lake Lake `yaml:"lake"`
	// SecretFiles are the files that secrets were read from.
	SecretFiles []string `yaml:"-"`
	// SecretsFrom says where each secret comes from, by its path in the file: ${NAME}, file:/path,
	// cred:NAME, a command.
	SecretsFrom map[string]string `yaml:"-"`
}

// Database says where the warehouse is.
type Database struct {
	// URL is the address of a Postgres database. It is a Secret because it may carry a password.
	URL Secret `yaml:"url"`
	// SessionURL is the address of the same database for what needs a session of its own; empty
	// means URL. With it, URL may lead through a pooler in transaction mode.
	SessionURL Secret `yaml:"session_url"`
	// Password is the password of URL's role, for an address without one. PasswordFrom is the
	// reference that the file has in its place: each new connection reads it again.
	Password     Secret `yaml:"password"`
	PasswordFrom string `yaml:"-"`
	// AllowInsecure says that URL may name another host without sslmode=verify-full.
	AllowInsecure bool `yaml:"allow_insecure"`
}

// Vendor is the brand and the addresses of data center "com". The documents write the vendor's name
// as "Svc" and leave the hosts open (docs/upstream.md U5).
type Vendor struct {
	// Name goes into the Authorization scheme, into scopes and into two headers.
	Name string `yaml:"name"`
	// APIURL, ChatURL and AuthURL are {api_base_url}, {chat_base_url} and {auth_url}, without a
	// slash at the end. ChatURL may be empty if no organization uses the chat service without a
	// base_url, and APIURL likewise.
	APIURL  string `yaml:"api_url"`
	ChatURL string `yaml:"chat_url"`
	AuthURL string `yaml:"auth_url"`
}

// Organization is one business upstream.
type Organization struct {
	// Name is its name in commands and messages.
	Name string `yaml:"name"`
	// ID is upstream's identifier, in digits.
	ID string `yaml:"id"`
	// Key is the organization_id of its rows; the default is ID. Two organizations of different
	// data centers may have the same ID but never the same Key.
	Key string `yaml:"key"`
	// DataCenter is the domain suffix of its data center: com, eu, com.au.
	DataCenter string `yaml:"data_center"`
	// Addresses replace those of the vendor for this organization.
	Addresses Addresses `yaml:"addresses"`
	// TimeZone is the IANA name of the zone of times without an offset, Location the zone itself.
	// "" and nil mean the zone that upstream names.
	TimeZone    string         `yaml:"time_zone"`
	Location    *time.Location `yaml:"-"`
	Credentials Credentials    `yaml:"credentials"`
	// Services are the services to copy from, by name.
	Services map[string]Service `yaml:"services"`
	// Notifications are the change notifications that it sends.
	Notifications OrganizationNotifications `yaml:"notifications"`

	Allowance
}

// Addresses are the addresses of one organization: {api_base_url}, {chat_base_url} and {auth_url}.
// They are used unchanged in every data center; "" means the vendor's address.
type Addresses struct {
	APIURL  string `yaml:"api_url"`
	ChatURL string `yaml:"chat_url"`
	AuthURL string `yaml:"auth_url"`
}

// Credentials are those of docs/upstream.md U24.
type Credentials struct {
	ClientID     string `yaml:"client_id"`
	ClientSecret Secret `yaml:"client_secret"`
	RefreshToken Secret `yaml:"refresh_token"`
	// RefreshTokenFrom is the reference from which the refresh token was read: ${NAME} or
	// file:/path. sluice authorize puts a new one there.
	RefreshTokenFrom string `yaml:"-"`
}

// Service is the choice for one service of one organization.
type Service struct {
	// Plan is the organization's plan for the service: it decides how many calls a day and at once
	// are allowed.
	Plan string `yaml:"plan"`
	// BaseURL replaces host and root path of the service for this organization; usually empty.
	BaseURL string `yaml:"base_url"`
	// Networks, CustomModules and Contacts name parents whose lists are read: chat networks by name
	// or identifier, custom modules by name, contacts by identifier.
	Networks      []string `yaml:"networks"`
	CustomModules []string `yaml:"custom_modules"`
	Contacts      []string `yaml:"contacts"`

	Allowance
}

// Listed returns the parents that the configuration names under a key.
func (s Service) Listed(key schema.Listed) []string {
	switch key {
	case schema.ListedNetworks:
		return s.Networks
	case schema.ListedModules:
		return s.CustomModules
	case schema.ListedContacts:
		return s.Contacts
	default:
		return nil
	}
}

// Resource is the choice for one resource, in all organizations.
type Resource struct {
	// Every is the interval between two scheduled runs. Stated says that the file has it.
	Every  time.Duration
	Stated bool
	// Enabled says that the resource is copied.
	Enabled bool
	// CallsPerRun is how many calls one run over details or parents may spend; zero means a share
	// of the plan's day.
	CallsPerRun int
	// Sweep is the interval between two sweeps, Look that between two looks for deletions; zero
	// means none.
	Sweep, Look time.Duration
	// History says that every version of a record is stored, with its arrays. Daily are the columns
	// and the tables of arrays whose values are stored by day.
	History bool
	Daily   []string
	// Notified says how it is read where callbacks tell of it.
	Notified Notified
	// LeftOut says which columns are left out of records or hashed before anything is stored.
	LeftOut []redact.Rule
}

// Totals says whether lists are asked how many records they have (docs/reading.md).
type Totals struct {
	// Use is auto (where a list answers) or off.
	Use string `yaml:"use"`
	// Every is the least time between two counts of a list whose runs read what changed.
	Every time.Duration `yaml:"every"`
}

// Log says what is logged.
type Log struct {
	// Level is debug, info, warn or error.
	Level string `yaml:"level"`
}

// Quarantine says how many rejected records make the run provisional and raise an alarm.
type Quarantine struct {
	// MaxShare is a share of a run's records, 0 to 1. If more are rejected, the watermark does not
	// move, the stream alarms and the exit code is 1.
	MaxShare float64 `yaml:"max_share"`
	// MaxOpen is how many open entries a stream may have without an alarm; 0 means any number.
	MaxOpen int `yaml:"max_open"`
}

// Retention says how long sluice's own notes are kept, what did not fit, and rows of records that
// are gone upstream.
type Retention struct {
	// Calls is how long the call log is kept: whole days, because it is pruned by days.
	Calls time.Duration `yaml:"calls"`
	// Runs is how long runs, verifications, processes and actions of operators are kept; zero means
	// for ever.
	Runs time.Duration `yaml:"runs"`
	// Raw is how long raw records are kept that no row refers to; zero means for ever. Raw records
	// of present rows stay.
	Raw time.Duration `yaml:"raw"`
	// History is how long ended versions and replaced values by day are kept; zero means for ever.
	History time.Duration `yaml:"history"`
	// Changes is how long the log of changes is kept: as long may a reader pause who follows it.
	Changes time.Duration `yaml:"changes"`
	// Quarantine is how long rejected records are kept.
	Quarantine QuarantineAges `yaml:"quarantine"`
	// Tombstoned is how long rows with a tombstone are kept; zero means for ever.
	Tombstoned time.Duration `yaml:"gone"`
}

// QuarantineAges say how long entries of the quarantine are kept after they were decided and came
// last, by their state; zero means for ever.
type QuarantineAges struct {
	Open     time.Duration `yaml:"open"`
	Retried  time.Duration `yaml:"retried"`
	Resolved time.Duration `yaml:"resolved"`
}

// Tombstones says when a row counts as deleted upstream.
type Tombstones struct {
	// MaxRows and MaxShare are the brake: if a scan misses more live rows of a list than the larger
	// of the two allows, the operator decides. MaxShare is 0 to 1.
	MaxRows  int     `yaml:"max_rows"`
	MaxShare float64 `yaml:"max_share"`
	// Apart is the least time between the end of a scan that missed a row and the beginning of the
	// scan that confirms it.
	Apart time.Duration `yaml:"apart"`
}

// document is the file: the configuration before its overrides are applied.
type document struct {
	Config

	Resources map[string]override `yaml:"resources"`
	// Catalogue names ready-made declarations of further lists.
	Catalogue []string             `yaml:"catalogue"`
	Custom    []custom.Declaration `yaml:"custom"`
}

// override is the file's choice for a resource; zero and nil mean the default.
type override struct {
	Every       time.Duration `yaml:"every"`
	Enabled     *bool         `yaml:"enabled"`
	CallsPerRun int           `yaml:"calls_per_run"`
	Sweep       string        `yaml:"sweep"`
	Look        string        `yaml:"look"`
	History     bool          `yaml:"history"`
	Daily       []string      `yaml:"daily"`
	Notified    Notified      `yaml:"notified"`
	Omit        []string      `yaml:"omit"`
	Hash        []string      `yaml:"hash"`
}

const day = 24 * time.Hour

// defaults are the values of keys that the file leaves out.
func defaults() document {
	var doc document
	doc.Vendor.Name = "Svc"
	doc.Totals = Totals{Use: totalsAuto, Every: time.Hour}
	doc.Workers = 8
	doc.Log.Level = "info"
	doc.Listen = "127.0.0.1:9464"
	doc.Quarantine.MaxShare = 0.05
	doc.Quarantine.MaxOpen = 1000
	doc.Schedule.Floor = 5 * time.Minute
	doc.Retention = Retention{Calls: 35 * day, Runs: 400 * day, Raw: 400 * day, Changes: 14 * day}
	doc.Retention.Quarantine = QuarantineAges{Retried: 90 * day, Resolved: 90 * day}
	doc.Tombstones = Tombstones(pipeline.DefaultTombstoneRules())
	doc.Notifications = Notifications{
		APIVersion: "v8", Debounce: 2 * time.Second, MaxWait: 15 * time.Second, SelfTest: 15 * time.Minute, Keep: 14 * day,
		HintedPerMinute: 20,
	}
	doc.Telemetry.Sample = 1
	doc.Console.Auth = AuthNone
	doc.Console.Header = ConsoleHeader{User: "X-Forwarded-User", Groups: "X-Forwarded-Groups"}
	doc.Console.OIDC = ConsoleOIDC{Scopes: []string{"openid", "email", "profile"}, UserClaim: "email"}
	doc.Lake = Lake{Every: 5 * time.Minute, Buckets: 16}
	return doc
}

// Secret is a value that no verb and no encoding prints (invariant 10). It is the client's own
// type, so a secret never becomes plain text between the configuration and the client.
type Secret = wire.Secret
