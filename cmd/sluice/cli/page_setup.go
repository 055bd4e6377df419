package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sluice/cmd/sluice/cli/view"
	"sluice/cmd/sluice/console"
	"sluice/migrations"
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
	l, s, err := c.offerSetup(ctx, a, cmp.Or(listen, a.Config.Console.Listen, consoleAddress))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.stop(context.WithoutCancel(ctx))) }()
	reached := s.attempt(ctx, l, firstLook)
	if err := c.printer().Line("The console is at %s. Ctrl-C ends it.", l.url); err != nil {
		return err
	}
	if reached != nil {
		if err := s.follow(ctx, l); err != nil && ctx.Err() == nil {
			return err
		}
	}
	select {
	case <-ctx.Done():
		return nil
	case err := <-l.failed:
		return err
	}
}

// setup is the console before its database has tables, or while there is no database yet.
type setup struct {
	cli *cli
	app *engine.App
	// opened and connected say how far the attempts came. Only attempt uses them.
	opened, connected bool

	mu sync.Mutex
	// begun says that the database has tables, of whatever version.
	begun bool
	// err is why the last attempt failed.
	err error
}

// offerSetup listens, and offers the steps of a new installation at the address of every page.
func (c *cli) offerSetup(ctx context.Context, a *engine.App, listen string) (*consoleListener, *setup, error) {
	l, err := listenForConsole(ctx, a, listen)
	if err != nil {
		return nil, nil, err
	}
	door, err := c.consoleDoor(a)
	if err != nil {
		return nil, nil, errors.Join(err, l.listener.Close())
	}
	s := &setup{cli: c, app: a, err: warehouse.ErrUnreachable}
	options := c.consoleOptions(a, door)
	options.Routes = (&pages{cli: c, app: a}).routes()
	for i := range options.Routes {
		options.Routes[i].Page = s.page
	}
	options.Recorded = func(context.Context, int64) (console.Deed, error) { return console.Deed{}, warehouse.ErrUnreachable }
	options.Unreachable = away
	shown := console.New(options)
	l.offer(&offeredConsole{console: shown, handler: door.Handler(shown)})
	l.serve()
	return l, s, nil
}

// away reports whether an error says that the database does not answer now.
func away(err error) bool {
	return errors.Is(err, warehouse.ErrUnreachable) || errors.Is(err, context.DeadlineExceeded) || postgres.Unreachable(err) || postgres.Busy(err)
}

// temporary reports whether an error ends when an operator migrates, or when the database answers.
func temporary(err error) bool { return errors.Is(err, engine.ErrNotMigrated) || away(err) }

// openWithConsole opens the database of an app, and offers the console meanwhile: without tables it
// shows the steps to them, and without a database that it waits for one. Other errors end it.
func (c *cli) openWithConsole(ctx context.Context, a *engine.App) (*consoleListener, error) {
	l, s, err := c.offerSetup(ctx, a, a.Config.Console.Listen)
	if err != nil {
		return nil, err
	}
	if err := s.follow(ctx, l); err != nil {
		return nil, errors.Join(err, l.stop(context.WithoutCancel(ctx)))
	}
	return l, nil
}

// follow tries to open the database until it has all that the pages need. It returns an error that
// is not to be waited out.
func (s *setup) follow(ctx context.Context, l *consoleListener) error {
	ticker := time.NewTicker(liveEvery)
	defer ticker.Stop()
	for {
		err := s.attempt(ctx, l, reachLimit)
		if err == nil || ctx.Err() == nil && !temporary(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case err := <-l.failed:
			return err
		case <-ticker.C:
		}
	}
}

// attempt tries to open the database once, and offers the pages if that is done.
func (s *setup) attempt(ctx context.Context, l *consoleListener, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begun, err := s.reach(ctx)
	if err == nil {
		err = s.cli.offerPages(ctx, s.app, l)
	}
	if err == nil {
		s.app.Log.InfoContext(ctx, "the console shows its pages", "streams", len(s.app.Streams()))
		return nil
	}
	if !temporary(err) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err.Error() != err.Error() {
		s.app.Log.WarnContext(ctx, "the console waits for its database", "reason", string(s.cli.env.scrub.Error(err)))
	}
	s.begun, s.err = begun, err
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
	if !errors.Is(err, engine.ErrNotMigrated) {
		return console.Page{}, err
	}
	shown := s.cli.stepsTo(s.app, false, nil) //nolint:contextcheck // a secret is read within a limit of its own
	if begun {
		text := "Bring the tables to what this version needs."
		if err.Error() != engine.ErrNotMigrated.Error() {
			text = "Make what the configuration declares: the database lacks tables or columns of it."
		}
		shown = stepsOf(stepView{"Migrate", stepLater, text, s.cli.commandLine("migrate")})
	}
	page := console.Page{Title: "Set up", Document: shown}
	shown.onto(&page)
	return page, nil
}

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
		if viewOf(a, o, known).Pinned != nil {
			continue
		}
		unmet++
		if missing == "" && !a.Authorized(o) {
			missing = o.Name
		}
	}
	consent := "Ask a person for the consent, once for each organization."
	if missing != "" {
		consent += " This process finds no refresh token of " + missing + ", and upstream has not answered for it yet."
	}
	done := map[bool]string{true: stepDone, false: stepLater}
	return stepsOf(
		stepView{"Migrate", done[migrated], "Make the tables.", c.commandLine("migrate")},
		stepView{"Authorize", done[missing == ""], consent, c.commandLine("authorize", missing)},
		stepView{
			"Check", done[migrated && unmet == 0], "Ask upstream with a few calls whether credentials, organizations and services fit.",
			c.commandLine("check"),
		},
		stepView{"Sync", stepLater, "Read the lists for the first time. sluice serve does so, too, and goes on.", c.commandLine("sync")},
	)
}

// stepsOf marks the first step that is not done as the next one.
func stepsOf(steps ...stepView) stepsView {
	if at := slices.IndexFunc(steps, func(s stepView) bool { return s.State != stepDone }); at >= 0 {
		steps[at].State = stepNext
	}
	return stepsView{Steps: steps}
}

// commandLine is a command to copy, with the configuration of this process.
func (c *cli) commandLine(command string, arguments ...string) string {
	words := []string{"sluice", command}
	for _, argument := range arguments {
		if argument != "" {
			words = append(words, shellWord(argument))
		}
	}
	if c.config != "" {
		words = append(words, "--config", shellWord(c.config))
	}
	return strings.Join(words, " ")
}

// onto puts the command to copy and all steps onto a page.
func (v *stepsView) onto(page *console.Page) {
	for i := range v.Steps {
		if step := &v.Steps[i]; step.State == stepNext {
			page.Sentence = fmt.Sprintf("Step %d of %d until rows are there: %s", i+1, len(v.Steps), strings.ToLower(step.Text[:1])+step.Text[1:])
			page.Parts = append(page.Parts, console.Note{Text: "On a terminal:", Command: step.Command})
		}
	}
	page.Parts = append(page.Parts,
		console.List("Steps until rows are there", "", "Step  State  Command  What to do", v.Steps, func(s *stepView) view.Row {
			return view.Row{s.Step, s.State, console.Code(s.Command), s.Text}
		}),
		console.Note{Text: "This page goes on by itself when a step is done.", Mood: console.Muted})
}

// setupOf are the steps while no list was ever complete; without steps afterwards.
func (p *pages) setupOf(ctx context.Context, shown []streamView) (stepsView, error) {
	for i := range shown {
		if s := &shown[i]; s.Enabled && s.Watermark != nil {
			return stepsView{}, nil
		}
	}
	known, err := p.app.DB.Organizations(ctx)
	if err != nil {
		return stepsView{}, fmt.Errorf("read what is known of the organizations: %w", err)
	}
	return p.cli.stepsTo(p.app, true, known), nil //nolint:contextcheck // as above
}
