package pins

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sluice/cmd/sluice/cli"
)

// allCommands returns the words of each command.
func allCommands() [][]string {
	var found [][]string
	var walk func(*cobra.Command, []string)
	walk = func(c *cobra.Command, words []string) {
		found = append(found, words)
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				walk(sub, append(slices.Clone(words), sub.Name()))
			}
		}
	}
	walk(cli.Commands(), nil)
	return found
}

// configurations writes what the program says of wrong configurations: those of the scenario and the
// example of the documents with each line left out, and with each value replaced by others.
func (s *scenario) configurations(ctx context.Context) error {
	mine, err := os.ReadFile(s.config)
	if err != nil {
		return err
	}
	example, err := os.ReadFile("config.example.yaml")
	if err != nil {
		return fmt.Errorf("run it in the root of the repository: %w", err)
	}
	var said bytes.Buffer
	for _, text := range [][]byte{mine, uncommented(example)} {
		lines := strings.SplitAfter(string(text), "\n")
		for n, line := range lines {
			if strings.TrimSpace(line) == "" {
				continue
			}
			for _, other := range wrong(line) {
				changed := slices.Clone(lines)
				changed[n] = other
				if err := s.judged(ctx, &said, strings.TrimSpace(other), strings.Join(changed, "")); err != nil {
					return err
				}
			}
		}
	}
	return s.write("configurations.txt", said.Bytes())
}

// wrong returns the replacements of a line: an empty one, an unknown key, and values of other types.
func wrong(line string) []string {
	key, _, found := strings.Cut(line, ":")
	if !found {
		return []string{""}
	}
	return []string{"", key + "x:" + strings.TrimPrefix(line, key+":"), key + ": []\n", key + ": -1\n", key + ": {a: b}\n", key + ": \"\"\n"}
}

// commented is a key of the example that is not in force.
var commented = regexp.MustCompile(`(?s)^# [^ .,:]+:.*`)

// uncommented is the example with its commented keys in force.
func uncommented(example []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(example) {
		trimmed := bytes.TrimLeft(line, " ")
		indent := line[:len(line)-len(trimmed)]
		switch key := commented.Find(trimmed); {
		case key != nil:
			b.Write(append(bytes.Clone(indent), key[2:]...))
		case !bytes.HasPrefix(trimmed, []byte("#")):
			b.Write(line)
		}
	}
	return b.Bytes()
}

// judged writes what the program says of a configuration.
func (s *scenario) judged(ctx context.Context, said *bytes.Buffer, what, text string) error {
	path := filepath.Join(s.folder, "wrong.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil { //nolint:gosec // in a folder of its own
		return err
	}
	var stdout, stderr locked
	code := s.commandTo(ctx, path, &stdout, &stderr, "config", "--json")
	fmt.Fprintf(said, "== %s: %d\n%s", what, code, stderr.String())
	if code == 0 {
		sum := sha256.Sum256(mask([]byte(stdout.String())))
		fmt.Fprintf(said, "%x\n", sum[:8])
	}
	return nil
}
