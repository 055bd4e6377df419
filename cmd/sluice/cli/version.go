package cli

import (
	_ "embed"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
	"sluice/migrations"
)

// version and revision are those of a release, which sets them when it links the program
// (cmd/sluice-release, Dockerfile). Other builds have the revision that Go notes, if it notes one.
var version, revision = unreleased, ""

// unreleased is the version of a build that is no release. Its first numbers sort before those of
// every release.
const unreleased = "0.0.0-dev"

// licenses are the modules that the program is made of, with the texts of their licenses. make
// licenses writes the file.
//
//go:embed licenses.txt
var licenses string

// versionInfo is what the version command says.
type versionInfo struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Go       string `json:"go"`
	// Schema is the number of the newest migration.
	Schema int64 `json:"schema"`
}

func (c *cli) versionCommand() *cobra.Command {
	var withLicenses bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, and what it is made of",
		Long: `Say which version this is: its revision, the version of Go that built it, and the number
of the newest migration, to which 'sluice migrate' brings a database.

--licenses prints the modules that the program is made of, and the texts of their
licenses. They are part of the program: nothing is fetched.`,
		Example: `  sluice version --json
  sluice version --licenses | less`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if withLicenses {
				return c.show(map[string]string{"licenses": licenses}, view.Verbatim(licenses))
			}
			info := thisProgram()
			info.Schema = migrations.Version()
			return c.show(info, view.Line("sluice %s (%s, schema %d)", info.Version, info.Go, info.Schema))
		},
	}
	cmd.Flags().BoolVar(&withLicenses, "licenses", false, "print what the program is made of, with the licenses")
	return cmd
}

// thisProgram puts together what the linker and Go say about this program.
func thisProgram() versionInfo {
	info := versionInfo{Version: version, Revision: revision}
	if build, ok := debug.ReadBuildInfo(); ok {
		info.Go = build.GoVersion
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" && info.Revision == "" {
				info.Revision = setting.Value
			}
		}
	}
	if info.Version == unreleased && info.Revision != "" {
		const short = 12
		info.Version += "+" + info.Revision[:min(short, len(info.Revision))]
	}
	return info
}
