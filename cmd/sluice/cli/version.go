package cli

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
)

// version is the version of the program; the migrations that it embeds have the same version.
const version = "0.1.0"

// versionInfo is what the version command says.
type versionInfo struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Revision string `json:"revision,omitempty"`
}

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Say which version this is",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			info := buildVersion()
			return c.show(info, view.Line("sluice %s (%s)", info.Version, info.Go))
		},
	}
}

func buildVersion() versionInfo {
	info := versionInfo{Version: version}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	info.Go = build.GoVersion
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			info.Revision = setting.Value
		}
	}
	return info
}
