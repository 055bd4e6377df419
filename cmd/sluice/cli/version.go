package cli

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli/view"
)

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
	info := versionInfo{Version: "development"}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	info.Go = build.GoVersion
	if build.Main.Version != "" && build.Main.Version != "(devel)" {
		info.Version = build.Main.Version
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			info.Revision = setting.Value
		}
	}
	return info
}
