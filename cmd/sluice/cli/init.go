package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
)

// sandboxURL is where sluice-sandbox listens if nothing else is said.
const sandboxURL = "http://127.0.0.1:8086"

func (c *cli) initCommand() *cobra.Command {
	var force bool
	var sandboxAt string
	var answers initAnswers
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a configuration: a few questions, or a flag for each",
		Long: `Write a configuration with a comment on every key. On a terminal the command asks
the few questions that have no flag; elsewhere every question without a default needs
its flag, and all mistakes are reported at once. It writes to the file of --config, or
config.yaml, and replaces a file only with --force.

It writes no secret: the configuration says in which variables or files the secrets are
to be. With --secrets and the path of a folder, sluice authorize writes the refresh
token there.

With --from-sandbox it asks the sandbox ('sluice-sandbox serve' on this machine) for its
organization, plans and secrets, which open nothing else, and writes a configuration
for a try. The secrets go into the folder sluice-try beside it, from which it also reads
the address of the database: 'sluice-sandbox postgres' writes it there.`,
		Example: `  sluice init
  sluice init --from-sandbox
  sluice init --name acme --id 10234695 --services accounting=standard,inventory=free \
    --api-url https://www.svcapis.example.com --auth-url https://accounts.svc.example.com \
    --client-id 1000.ABC --secrets /etc/sluice/secrets --database '${SLUICE_DATABASE_URL}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.init(cmd.Context(), &answers, cmd.Flags().Changed, sandboxAt, force)
		},
	}
	f := cmd.Flags()
	for _, q := range initQuestions() {
		f.StringVar(q.answer(&answers), q.flag, q.initial, q.help)
	}
	f.BoolVar(&force, "force", false, "replace the file if it is there")
	f.StringVar(&sandboxAt, "from-sandbox", "", "write a configuration for the sandbox at this address")
	f.Lookup("from-sandbox").NoOptDefVal = sandboxURL
	return cmd
}

// initView is the result of init.
type initView struct {
	Config string `json:"config"`
	// Secrets are the references of the configuration that have to be filled.
	Secrets []string `json:"secrets"`
	// Next are the commands to go on with.
	Next []string `json:"next"`
}

func (c *cli) init(ctx context.Context, flags *initAnswers, given func(string) bool, sandboxAt string, force bool) error {
	path := c.path()
	if _, err := os.Lstat(path); err == nil && !force {
		return usage("%s is there already, and nothing was written: --config names another file, --force replaces it", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage("%w", err)
	}
	if sandboxAt != "" {
		for _, q := range initQuestions() {
			if given(q.flag) {
				return usage("--from-sandbox answers --%s itself: leave one of the two out", q.flag)
			}
		}
		return c.initTry(ctx, path, sandboxAt, force)
	}
	answers, err := c.answered(ctx, flags, given)
	if err != nil {
		return err
	}
	secret, token := answers.references()
	shown := initView{Config: path, Secrets: []string{secret, token}, Next: []string{
		"sluice migrate", "sluice authorize " + shellWord(answers.Name), "sluice check", "sluice sync",
	}}
	if err := writeConfig(path, answers, force); err != nil {
		return err
	}
	return c.show(shown, view.Line("%s is written. The client secret belongs to %s. The refresh token comes to %s.", path, secret, token),
		view.Line("Make the sealing key once, and keep it: export SLUICE_ENCRYPTION_KEY=$(openssl rand -base64 32)"),
		nextLines(shown.Next))
}

// writeConfig writes the configuration in one step. It replaces a file with force only, also one
// that appears meanwhile. Other accounts may read it: it holds no secret.
func writeConfig(path string, answers initAnswers, force bool) error {
	text, err := answers.render()
	if err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	written := path
	if force {
		written = path + ".new"
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	file, err := os.OpenFile(written, flags, 0o644) //nolint:gosec // it holds no secret
	if errors.Is(err, fs.ErrExist) {
		return usage("%s is there already, and nothing was written: --force replaces it", path)
	}
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Sync(), file.Close())
	}
	if err == nil && written != path {
		err = os.Rename(written, path)
	}
	if err != nil {
		return &exitError{code: codeEnvironment, err: fmt.Errorf("write the configuration: %w", err)}
	}
	return nil
}

// nextLines are the commands to go on with.
func nextLines(next []string) view.Part {
	return view.Line("\nNext:\n  %s", strings.Join(next, "\n  "))
}

// shellWord writes a text as one word of a shell.
func shellWord(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(shellPlain, r) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// shellPlain are characters without a meaning for shells.
const shellPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-"
