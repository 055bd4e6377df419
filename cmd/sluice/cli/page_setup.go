package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/migrations"
	"sluice/pipeline"
	"sluice/pipeline/engine"
	"sluice/pipeline/engine/config"
	"sluice/pipeline/warehouse"
	"sluice/pipeline/warehouse/postgres"
)

const (
	// firstLook is how long the console waits for the database before it says where it is.
	firstLook = 5 * time.Second
	// reachLimit bounds one attempt to open the database.
	reachLimit = time.Minute
)

// console offers the pages until the context ends. Until the database has tables it offers the
// steps to them.
func (c *cli) console(ctx context.Context, listen string) (err error) {
	options := c.options()
	options.Purpose, options.Quiet = config.ForConsole, false
	a, err := engine.Load(options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(ctx)) }()
	l, err := listenForConsole(ctx, a, cmp.Or(listen, a.Config.Console.Listen, consoleAddress))
	if err != nil {
		return err
	}
	s, err := c.offerSetup(a, l)
	if err != nil {
		return errors.Join(err, l.listener.Close())
	}
	l.serve()
	opening, end := context.WithCancel(ctx)
	looked := make(chan struct{})
	var following sync.WaitGroup
	following.Go(func() {
		// an error is on the pages, and in the log
		_ = s.follow(opening, l, func(error) bool { return true }, looked)
	})
	select {
	case <-looked:
	case <-time.After(firstLook):
	case <-ctx.Done():
	}
	if err = c.printer().Line("The console is at %s. Ctrl-C ends it.", l.url); err == nil {
		select {
		case <-ctx.Done():
		case err = <-l.failed:
		}
	}
	end()
	following.Wait()
	return errors.Join(err, l.stop(context.WithoutCancel(ctx)))
}

// setup is the console before its database has tables, or while there is no database yet.
type setup struct {
	cli *cli
	app *engine.App
	// opened and connected say how far the attempts came. Only follow uses them.
	opened, connected bool

	mu sync.Mutex
	// begun says that the database has tables, of whatever version.
	begun bool
	// err is why the last attempt failed.
	err error
}

// errNotLooked is why nothing is known before the first attempt.
var errNotLooked = errors.New("the console looks for its database")

// offerSetup offers the steps of a new installation at the address of every page.
func (c *cli) offerSetup(a *engine.App, l *consoleListener) (*setup, error) {
	door, err := c.consoleDoor(a)
	if err != nil {
		return nil, err
	}
	s := &setup{cli: c, app: a, err: errNotLooked}
	options := c.consoleOptions(a, door)
	options.Routes = (&pages{cli: c, app: a}).routes()
	for i := range options.Routes {
		options.Routes[i].Page = s.page
	}
	options.Record = func(context.Context, console.Deed) (int64, error) { return 0, errNotLooked }
	options.Recorded = func(context.Context, int64) (console.Deed, error) { return console.Deed{}, errNotLooked }
	options.Unreachable = away
	shown, err := console.New(options)
	if err != nil {
		return nil, fmt.Errorf("make the console: %w", err)
	}
	l.offer(&offeredConsole{console: shown, handler: door.Handler(shown)})
	return s, nil
}

// away reports whether an error says that the database does not answer now.
func away(err error) bool {
	return errors.Is(err, warehouse.ErrUnreachable) || postgres.Unreachable(err) || postgres.Busy(err)
}

// follow tries to open the database until it has all that the pages need, and then offers them. It
// closes looked after the first attempt, and returns an error that is not to be waited out.
func (s *setup) follow(ctx context.Context, l *consoleListener, waits func(error) bool, looked chan<- struct{}) error {
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()
	for first := true; ; first = false {
		err := s.attempt(ctx, l, waits)
		if first {
			close(looked)
		}
		if err == nil || ctx.Err() == nil && !waits(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// temporary reports whether an error ends when an operator migrates, or when the database answers.
func temporary(err error) bool { return errors.Is(err, engine.ErrNotMigrated) || away(err) }

// openWithConsole opens the database of an app, and offers the console meanwhile: without tables it
// shows the steps to them, and without a database that it waits for one. Other errors end it.
func (c *cli) openWithConsole(ctx context.Context, a *engine.App) (*consoleListener, error) {
	l, err := listenForConsole(ctx, a, a.Config.Console.Listen)
	if err != nil {
		return nil, err
	}
	s, err := c.offerSetup(a, l)
	if err != nil {
		return nil, errors.Join(err, l.listener.Close())
	}
	l.serve()
	if err := s.follow(ctx, l, temporary, make(chan struct{})); err != nil {
		return nil, errors.Join(err, l.stop(context.WithoutCancel(ctx)))
	}
	return l, nil
}

// attempt tries to open the database once, and offers the pages if that is done.
func (s *setup) attempt(ctx context.Context, l *consoleListener, waits func(error) bool) error {
	limited, cancel := context.WithTimeout(ctx, reachLimit)
	defer cancel()
	begun, err := s.reach(limited)
	if err == nil {
		err = s.cli.offerPages(ctx, s.app, l)
	}
	if err == nil {
		s.app.Log.InfoContext(ctx, "the console shows its pages", "streams", len(s.app.Streams()))
		return nil
	}
	if ctx.Err() != nil || !waits(err) {
		return err
	}
	s.mu.Lock()
	changed := s.err.Error() != err.Error()
	s.begun, s.err = begun, err
	s.mu.Unlock()
	if changed {
		s.app.Log.WarnContext(ctx, "the console waits for its database", "reason", string(s.cli.env.scrub.Error(err)))
	}
	return err
}

// reach opens the database as far as it can be opened now, and reports whether it has tables.
func (s *setup) reach(ctx context.Context) (bool, error) {
	if !s.opened {
		if err := s.app.OpenDatabase(ctx); err != nil {
			return false, err
		}
		s.opened = true
	}
	if s.connected {
		return true, nil
	}
	begun, err := migrations.Begun(ctx, s.app.URL)
	if err == nil && !begun {
		err = engine.ErrNotMigrated
	}
	if err != nil {
		return false, err
	}
	if err := s.app.Migrated(ctx); err != nil {
		return true, err
	}
	if err := s.app.Connect(ctx); err != nil {
		if s.app.DB != nil { // the next attempt opens another one
			s.app.DB.Close()
			s.app.DB = nil
		}
		return true, err
	}
	s.connected = true
	return true, nil
}

// page is what every address shows meanwhile.
func (s *setup) page(context.Context, *console.Request) (console.Page, error) {
	s.mu.Lock()
	begun, err := s.begun, s.err
	s.mu.Unlock()
	switch {
	case errors.Is(err, errNotLooked):
		return console.Page{Title: setupTitle, Sentence: "The console looks for its database.", Document: stepsView{Steps: []stepView{}}}, nil
	case !errors.Is(err, engine.ErrNotMigrated):
		return console.Page{}, err
	}
	shown := s.cli.stepsTo(s.app, begun, nil) //nolint:contextcheck // a secret is read within a limit of its own
	if begun {
		shown = s.cli.stepOf(err)
	}
	page := console.Page{Title: setupTitle, Document: shown}
	page.Sentence, page.Parts = shown.sentence(), shown.parts()
	return page, nil
}

const setupTitle = "Set up"

// stepsView is what is left to do until rows are there.
type stepsView struct {
	Steps []stepView `json:"steps"`
}

// stepView is one step, and the command that does it.
type stepView struct {
	Step string `json:"step"`
	// State is done, next or later.
	State   string `json:"state"`
	Text    string `json:"text"`
	Command string `json:"command"`
}

const (
	stepDone  = "done"
	stepNext  = "next"
	stepLater = "later"
)

// stepsTo are the steps of a new installation. Known are the organizations that upstream has named.
func (c *cli) stepsTo(a *engine.App, migrated bool, known []warehouse.Organization) stepsView {
	missing, unmet := "", 0
	for i := range a.Config.Organizations {
		o := &a.Config.Organizations[i]
		met := viewOf(a, o, known).Pinned != nil
		if !met {
			unmet++
		}
		if missing == "" && !met && !a.Authorized(o) {
			missing = o.Name
		}
	}
	consent := "Ask a person for the consent, once for each organization. Every organization has a refresh token."
	if missing != "" {
		consent = "Ask a person for the consent, once for each organization. This process finds no refresh token of " + missing +
			", and upstream has not answered for it yet."
	}
	return stepsOf(
		stepView{"Migrate", done(migrated), "Make the tables.", c.commandLine("migrate")},
		stepView{"Authorize", done(missing == ""), consent, c.commandLine("authorize", missing)},
		stepView{
			"Check", done(migrated && unmet == 0), "Ask upstream with a few calls whether credentials, organizations and services fit.",
			c.commandLine("check"),
		},
		stepView{"Sync", stepLater, "Read the lists for the first time. sluice serve does so, too, and goes on.", c.commandLine("sync")},
	)
}

// stepOf is the step that is left where a database has tables, but not all of this version and
// configuration.
func (c *cli) stepOf(err error) stepsView {
	text := "Bring the tables to what this version needs."
	if err.Error() != engine.ErrNotMigrated.Error() {
		text = "Make what the configuration declares: the database lacks tables or columns of it."
	}
	return stepsOf(stepView{"Migrate", stepLater, text, c.commandLine("migrate")})
}

func done(is bool) string {
	if is {
		return stepDone
	}
	return stepLater
}

// stepsOf marks the first step that is not done as the next one.
func stepsOf(steps ...stepView) stepsView {
	for i := range steps {
		if steps[i].State != stepDone {
			steps[i].State = stepNext
			break
		}
	}
	return stepsView{Steps: steps}
}

// commandLine is a command to copy, with the configuration of this process.
func (c *cli) commandLine(command string, arguments ...string) string {
	words := []string{"sluice", command}
	for _, argument := range arguments {
		if argument != "" {
			words = append(words, ofShell(argument))
		}
	}
	if c.config != "" {
		words = append(words, "--config", ofShell(c.config))
	}
	return strings.Join(words, " ")
}

// ofShell is a word for a shell: quoted where it has to be.
func ofShell(word string) string {
	if strings.IndexFunc(word, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:@", r)
	}) < 0 {
		return word
	}
	return shellWord(word)
}

// next is the step to take now; nil if all are done.
func (v *stepsView) next() (int, *stepView) {
	for i := range v.Steps {
		if v.Steps[i].State == stepNext {
			return i, &v.Steps[i]
		}
	}
	return 0, nil
}

func (v *stepsView) sentence() string {
	i, step := v.next()
	if step == nil {
		return ""
	}
	return fmt.Sprintf("Step %d of %d until rows are there: %s", i+1, len(v.Steps), strings.ToLower(step.Text[:1])+step.Text[1:])
}

// parts are the command to copy, and all steps.
func (v *stepsView) parts() []console.Part {
	var parts []console.Part
	if _, step := v.next(); step != nil {
		parts = append(parts, console.Note{Text: "On a terminal:", Command: step.Command})
	}
	moods := map[string]console.Mood{stepDone: console.Good, stepNext: console.Plain, stepLater: console.Muted}
	rows := make([][]console.Cell, len(v.Steps))
	for i := range v.Steps {
		s := &v.Steps[i]
		rows[i] = []console.Cell{console.Text(s.Step), console.Word(s.State, moods[s.State]), console.Code(s.Command), console.Text(s.Text)}
	}
	return append(parts,
		console.Table{Caption: "Steps until rows are there", Head: []string{"Step", "State", "Command", "What to do"}, Rows: rows},
		console.Note{Text: "This page goes on by itself when a step is done.", Mood: console.Muted})
}

// setupOf are the steps while no list was ever complete; without steps afterwards.
func (p *pages) setupOf(ctx context.Context, shown []streamView) (stepsView, error) {
	running := 0
	for i := range shown {
		switch s := &shown[i]; {
		case s.Enabled && s.Watermark != nil:
			return stepsView{}, nil
		case s.Enabled && s.State == string(pipeline.StateRunning):
			running++
		}
	}
	known, err := p.app.DB.Organizations(ctx)
	if err != nil {
		return stepsView{}, fmt.Errorf("read what is known of the organizations: %w", err)
	}
	steps := p.cli.stepsTo(p.app, true, known) //nolint:contextcheck // as above
	if running > 0 {
		steps.Steps[len(steps.Steps)-1].Text = "Read the lists for the first time: " + view.Plural(running, "stream") + " at work."
	}
	return steps, nil
}
