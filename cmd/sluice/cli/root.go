package cli

import "github.com/spf13/cobra"

func newRoot(env Env) *cobra.Command {
	c := &cli{env: env}
	root := &cobra.Command{
		Use:   "sluice",
		Short: "Copy business records into Postgres and keep the two equal",
		Long: `sluice copies the business records of organizations (accounts, bills, payments,
items, credit notes, contact persons, conversations and more: 'sluice resources')
from a suite of REST services into a Postgres warehouse, and keeps the two equal,
within the minute, concurrency and daily limits that the services set.

New here? Run 'sluice-sandbox demo': it needs no configuration.
With an account: 'sluice init', 'sluice migrate', 'sluice authorize', then
'sluice check' and 'sluice sync'.

Exit codes: 0 fine, 1 something failed, 2 usage or configuration,
3 database or upstream out of reach, 4 stopped by the budget, or by a long wait
that upstream asked for, with work left.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&c.config, "config", "", "configuration file (default: $SLUICE_CONFIG, then config.yaml)")
	flags.BoolVar(&c.json, "json", false, "print JSON instead of text")
	flags.StringVar(&c.logLevel, "log-level", "", "log level: debug, info, warn, error (default: warn; for serve, log.level of the configuration)")
	c.addGroups(root)
	return root
}

// addGroups adds all commands, each in its group of the help.
func (c *cli) addGroups(root *cobra.Command) {
	const other = "other"
	for _, group := range []struct {
		id, title string
		commands  []*cobra.Command
	}{
		{"run", "Run:", []*cobra.Command{c.syncCommand(), c.serveCommand(), c.backfillCommand(), c.planCommand(), c.importCommand()}},
		{"inspect", "Inspect:", []*cobra.Command{
			c.statusCommand(), c.runsCommand(), c.budgetCommand(), c.explainCommand(), c.findCommand(), c.exportCommand(), c.driftCommand(), c.closeCommand(),
			c.readCommand(), c.consoleCommand(),
		}},
		{"repair", "Repair:", []*cobra.Command{
			c.verifyCommand(), c.rebuildCommand(), c.quarantineCommand(), c.tombstonesCommand(), c.eraseCommand(),
		}},
		{"set-up", "Set up:", []*cobra.Command{
			c.initCommand(), c.configCommand(), c.checkCommand(), c.authorizeCommand(), c.migrateCommand(),
			c.resourcesCommand(), c.organizationsCommand(),
			c.readersCommand(), c.keysCommand(), c.redactCommand(),
			c.notificationsCommand(), c.eventsCommand(),
		}},
		{"generate", "Generate:", []*cobra.Command{c.dictionaryCommand(), c.metricsCommand()}},
		{other, "Other:", []*cobra.Command{c.healthCommand(), c.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.id, Title: group.title})
		for _, command := range group.commands {
			command.GroupID = group.id
		}
		root.AddCommand(group.commands...)
	}
	root.SetHelpCommandGroupID(other)
	root.SetCompletionCommandGroupID(other)
}
