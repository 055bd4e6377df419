// Package readers knows the roles of the database that query the warehouse: three groups, their
// members, the organizations whose rows each sees in the views, and what a role has too much or too
// little of.
//
// It never makes a role that can log in, never drops a role, and never revokes anything: it names
// the statement that does. Masking itself is in the views (migrations/views).
//
// Start reading at Groups, then Look and Apply.
package readers

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"sluice/pipeline/warehouse/postgres"
)

// Groups are the names of the three roles without login that readers are members of. Each is a
// member of the one before, so one membership is enough.
type Groups struct {
	// Masked reads schema analytics, without what tells of persons.
	Masked string
	// Personal reads the same views with persons.
	Personal string
	// Raw also reads the copied tables, history and raw records, of all organizations.
	Raw string
}

// Standard are the groups of every warehouse; the views know the second by its name.
func Standard() Groups {
	return Groups{Masked: "sluice_reader", Personal: "sluice_reader_personal", Raw: "sluice_reader_raw"}
}

// All stands for all organizations in analytics.readers.
const All = "*"

// Timeout is a setting that a reader should have, with the recommended value.
type Timeout struct{ Name, Value string }

// Timeouts bound how long a reader holds back others: vacuum, and migrations.
func Timeouts() []Timeout {
	return []Timeout{{Name: "statement_timeout", Value: "5min"}, {Name: "idle_in_transaction_session_timeout", Value: "1min"}}
}

// State is what is known of the readers of a database.
type State struct {
	Groups  []Group  `json:"groups"`
	Readers []Reader `json:"readers"`
	// Lacks are the rights that the groups should have and do not have.
	Lacks []Lack `json:"lacks"`
	// Findings are what readers have too much or too little of.
	Findings []Finding `json:"findings"`
}

// Group is one of the three groups.
type Group struct {
	Name   string `db:"name"   json:"name"`
	Exists bool   `db:"exists" json:"exists"`
	// InUse says that it may use schema analytics of this database: databases of one server share
	// their roles.
	InUse bool `db:"in_use" json:"in_use"`
	// Members are the roles that were made members of this one by name, without the other groups.
	Members []string `db:"members" json:"members"`
}

// Reader is a role that reads the views. The owner of the tables, the worker and superusers are
// none.
type Reader struct {
	Role  string `db:"role"  json:"role"`
	Login bool   `db:"login" json:"login"`
	// Group is the widest group that it is a member of; "" if another grant lets it read.
	Group string `db:"group" json:"group"`
	// Organizations are the keys of those whose rows it sees; All stands for all of them.
	Organizations []string `db:"organizations" json:"organizations"`
	// Unlimited are the names of the Timeouts that it does not have.
	Unlimited []string `db:"unlimited" json:"unlimited"`
}

// Lack is a right that a group does not have, and the statement that gives it.
type Lack struct {
	What string `db:"what" json:"what"`
	SQL  string `db:"sql"  json:"sql"`
}

// Finding is something that a reader has too much or too little of. Remedy is a statement or a
// command.
type Finding struct {
	What   string `db:"what"   json:"what"`
	Remedy string `db:"remedy" json:"remedy"`
}

// Look reads the state of a migrated database.
func Look(ctx context.Context, db postgres.Querier, groups Groups) (State, error) {
	var state State
	var err error
	names := []any{groups.Masked, groups.Personal, groups.Raw}
	if state.Groups, err = postgres.Read[Group](ctx, db, "the groups of readers", sqlGroups, names...); err != nil {
		return State{}, err
	}
	if state.Lacks, err = lacking(ctx, db, groups); err != nil {
		return State{}, err
	}
	timeouts := []string{Timeouts()[0].Name, Timeouts()[1].Name}
	if state.Readers, err = postgres.Read[Reader](ctx, db, "the readers", sqlReaders, append(names, timeouts)...); err != nil {
		return State{}, err
	}
	roles := make([]string, 0, len(state.Readers))
	for _, r := range state.Readers {
		roles = append(roles, r.Role)
	}
	if state.Findings, err = postgres.Read[Finding](ctx, db, "the rights of readers", sqlExcess, append(names, roles)...); err != nil {
		return State{}, err
	}
	slices.SortFunc(state.Findings, func(a, b Finding) int { return cmp.Or(cmp.Compare(a.What, b.What), cmp.Compare(a.Remedy, b.Remedy)) })
	state.Findings = append(state.Findings, state.poor()...)
	return state, nil
}

func lacking(ctx context.Context, db postgres.Querier, groups Groups) ([]Lack, error) {
	return postgres.Read[Lack](ctx, db, "the rights of the groups of readers", sqlLacks, groups.Masked, groups.Personal, groups.Raw)
}

// Begun says whether one of the groups was made: without any, readers are not used yet.
func (s State) Begun() bool {
	return slices.ContainsFunc(s.Groups, func(g Group) bool { return g.Exists })
}

// SQL has the statements that give the groups what they lack; "" if they lack nothing.
func (s State) SQL() string { return script(s.Lacks) }

func script(lacks []Lack) string {
	var text strings.Builder
	for _, lack := range lacks {
		text.WriteString(lack.SQL + ";\n")
	}
	return text.String()
}

// Recommended are statements that suit a role that logs in; READER stands for it. Nothing executes
// them.
func Recommended() []string {
	return []string{
		Timeouts()[0].of("READER"), Timeouts()[1].of("READER"), `ALTER ROLE "READER" SET search_path = 'analytics'`,
		`ALTER ROLE "READER" SET TimeZone = 'UTC'`, `ALTER ROLE "READER" SET default_transaction_read_only = on`,
	}
}

// poor are the findings about readers that have too little.
func (s State) poor() []Finding {
	var findings []Finding
	for _, r := range s.Readers {
		if !r.Login {
			continue
		}
		if len(r.Organizations) == 0 {
			findings = append(findings, Finding{
				What:   "reader " + r.Role + " sees no row in any view: no organization is allowed for it or for a role that it is a member of",
				Remedy: "sluice readers allow " + word(r.Role) + " ORGANIZATION",
			})
		}
		for _, timeout := range Timeouts() {
			if slices.Contains(r.Unlimited, timeout.Name) {
				findings = append(findings, Finding{What: "reader " + r.Role + " has no " + timeout.Name, Remedy: timeout.of(r.Role)})
			}
		}
	}
	return findings
}

// of is the statement that gives a role the timeout.
func (t Timeout) of(role string) string {
	return "ALTER ROLE " + pgx.Identifier{role}.Sanitize() + " SET " + t.Name + " = '" + t.Value + "'"
}

// word writes a name as one word of a command line.
func word(name string) string {
	if plainWord.MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_]+$`)
