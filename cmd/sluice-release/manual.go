package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sluice/cmd/sluice/cli"
)

// writeManual writes a manual page for each command (man) and completions for three shells
// (completions) below a folder.
func writeManual(dir, version string, at time.Time) error {
	root := cli.Commands()
	root.InitDefaultHelpCmd()
	pages, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, folder := range []string{pages, completions} {
		if err := os.MkdirAll(folder, 0o750); err != nil {
			return err
		}
	}
	if err := eachCommand(root, func(cmd *cobra.Command) error {
		return os.WriteFile(filepath.Join(pages, pageName(cmd)+".1"), []byte(page(cmd, version, at)), 0o644)
	}); err != nil {
		return fmt.Errorf("writing manual pages: %w", err)
	}
	if err := errors.Join(
		root.GenBashCompletionFileV2(filepath.Join(completions, "sluice.bash"), true),
		root.GenZshCompletionFile(filepath.Join(completions, "_sluice")),
		root.GenFishCompletionFile(filepath.Join(completions, "sluice.fish"), true),
	); err != nil {
		return fmt.Errorf("writing completions: %w", err)
	}
	return nil
}

// eachCommand calls do for a command and all below it that help shows.
func eachCommand(cmd *cobra.Command, do func(*cobra.Command) error) error {
	if err := do(cmd); err != nil {
		return err
	}
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && below.Name() != "completion" {
			if err := eachCommand(below, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// pageName names the page of a command: sluice-quarantine-show.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// page is the manual page of a command, in the language man(7). The help texts are written for a
// terminal: paragraphs are filled again, and those with an indented line stay as they are.
func page(cmd *cobra.Command, version string, at time.Time) string {
	var p strings.Builder
	fmt.Fprintf(&p, ".TH %s 1 %s %s \"Manual of sluice\"\n",
		quoted(strings.ToUpper(pageName(cmd))), at.Format(time.DateOnly), quoted(strings.TrimSpace("sluice "+version)))
	fmt.Fprintf(&p, ".SH NAME\n%s \\- %s\n", escaped(pageName(cmd)), escaped(cmd.Short))
	fmt.Fprintf(&p, ".SH SYNOPSIS\n.nf\n")
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&p, "%s COMMAND [flags]\n", escaped(cmd.CommandPath()))
	}
	if cmd.Runnable() {
		fmt.Fprintln(&p, escaped(cmd.UseLine()))
	}
	p.WriteString(".fi\n.SH DESCRIPTION\n")
	prose(&p, cmp.Or(cmd.Long, cmd.Short+"."))
	if below := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return !c.IsAvailableCommand() }); len(below) > 0 {
		p.WriteString(".SH COMMANDS\n")
		for _, c := range below {
			fmt.Fprintf(&p, ".TP\n.B %s\n%s\n", escaped(c.Name()), escaped(c.Short))
		}
	}
	options(&p, "OPTIONS", cmd.NonInheritedFlags())
	options(&p, "OPTIONS OF ALL COMMANDS", cmd.InheritedFlags())
	if cmd.Example != "" {
		p.WriteString(".SH EXAMPLES\n")
		verbatim(&p, cmd.Example)
	}
	seeAlso(&p, cmd)
	return p.String()
}

// prose writes paragraphs.
func prose(p *strings.Builder, text string) {
	for i, paragraph := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") || strings.Contains(paragraph, "\n ") {
			verbatim(p, paragraph)
			continue
		}
		for line := range strings.Lines(paragraph) {
			fmt.Fprintln(p, escaped(line))
		}
	}
}

// verbatim writes lines as they stand.
func verbatim(p *strings.Builder, text string) {
	p.WriteString(".nf\n")
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		fmt.Fprintln(p, escaped(line))
	}
	p.WriteString(".fi\n")
}

// options writes the flags of a command.
func options(p *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(p, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(p, ".TP\n\\fB%s\\fR", escaped(name))
		if value != "" {
			fmt.Fprintf(p, " \\fI%s\\fR", escaped(value))
		}
		fmt.Fprintf(p, "\n%s\n", escaped(usage))
		if empty := []string{"", "false", "[]", "0", "0s"}; !slices.Contains(empty, f.DefValue) && !strings.Contains(usage, "default") {
			fmt.Fprintf(p, "(default %s)\n", escaped(f.DefValue))
		}
	})
}

// seeAlso names the pages of the command above and of those below.
func seeAlso(p *strings.Builder, cmd *cobra.Command) {
	var others []string
	if cmd.HasParent() {
		others = append(others, pageName(cmd.Parent()))
	}
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() && below.Name() != "completion" {
			others = append(others, pageName(below))
		}
	}
	if len(others) == 0 {
		return
	}
	p.WriteString(".SH SEE ALSO\n")
	for i, other := range others {
		end := ","
		if i == len(others)-1 {
			end = ""
		}
		fmt.Fprintf(p, ".BR %s (1)%s\n", escaped(other), end)
	}
}

// escaped is a line of a help text for man(7), in which a backslash commands, and a dot or an
// apostrophe does at the beginning of a line.
func escaped(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(strings.TrimRight(line, " \n"))
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}

// quoted is an argument of a macro.
func quoted(text string) string { return `"` + escaped(text) + `"` }
