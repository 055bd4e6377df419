package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice-sandbox/local"
	"sluice/cmd/sluice-sandbox/server"
)

func postgresCommand(stdout, stderr io.Writer) *cobra.Command {
	var folder string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "postgres",
		Short: "Run a private Postgres for a try, until it is stopped",
		Long: `Run a private Postgres server for a try, with the Postgres binaries of this machine,
until Ctrl-C. It listens on a unix socket only, so no network reaches it. Its data stay
in the folder of --dir, and it can be started again; for root they are in a folder of
/var/lib, since Postgres does not run as root.

It prints the address of the database, and writes it to the file database_url in the
folder, where the configuration of 'sluice init --from-sandbox' expects it.`,
		Example: "  sluice-sandbox postgres\n  sluice-sandbox postgres --dir /srv/try",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return postgres(cmd.Context(), folder, stdout, stderr, asJSON)
		},
	}
	cmd.Flags().StringVar(&folder, "dir", "sluice-try", "folder of the data, made if it is missing")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON instead of text")
	return cmd
}

// runningPostgres is what the command prints.
type runningPostgres struct {
	URL string `json:"url"`
	// File holds the address.
	File string `json:"file"`
	Data string `json:"data"`
	Psql string `json:"psql"`
}

// stopLimit bounds the time to stop the server.
const stopLimit = 30 * time.Second

// postgres runs a server until the context ends.
func postgres(ctx context.Context, dir string, stdout, stderr io.Writer, asJSON bool) (err error) {
	folder, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("%w: --dir: %w", server.ErrUsage, err)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the folder of the database: %w: %w", errEnvironment, err)
	}
	data := dataFolder(folder)
	running, err := local.Start(ctx, local.Options{Dir: data, Durable: true, Log: stderr})
	if err != nil {
		return fmt.Errorf("the private Postgres did not start: %w: %w", errEnvironment, err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
		defer cancel()
		err = errors.Join(err, running.Stop(ctx))
	}()
	shown := runningPostgres{URL: running.URL(), File: filepath.Join(folder, "database_url"), Data: data, Psql: running.PsqlCommand("postgres")}
	if err := os.WriteFile(shown.File, []byte(shown.URL+"\n"), 0o600); err != nil {
		return fmt.Errorf("write the address of the database: %w: %w", errEnvironment, err)
	}
	if err := show(stdout, asJSON, shown, shown.text()); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func (r *runningPostgres) text() string {
	return fmt.Sprintf(`Postgres runs (Ctrl-C ends it, the data stay in %s).
"sluice init --from-sandbox" reads its address from %s.

For a configuration of your own:

  export SLUICE_DATABASE_URL='%s'

To look into the database:

  %s`, r.Data, r.File, r.URL, r.Psql)
}

// dataFolder is the folder of the data of a try. Postgres runs as another account for root, which
// may not be able to enter the folders of root.
func dataFolder(folder string) string {
	if os.Geteuid() != 0 {
		return filepath.Join(folder, "database")
	}
	sum := sha256.Sum256([]byte(folder))
	return "/var/lib/sluice-try-" + hex.EncodeToString(sum[:4])
}
