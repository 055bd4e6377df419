package rules_test

import "slices"

// ground is the package that every other may import.
const ground = "pipeline/outside"

// tools returns the programs and packages for work on the program itself: they see no secrets but
// those of the sandbox.
func tools() []string {
	return []string{
		"cmd/sluice-dev", "cmd/sluice-release",
		"pipeline/warehouse/warehousetest",
	}
}

// outsideRules keep words of others from being shown or stored unscrubbed (invariant 10). The
// fields for such words have a type that no string fits; these rules close the ways around it.
func outsideRules() []rule {
	return []rule{
		{name: "a Text is made by a scrubber", reason: "a conversion would call words of upstream clean that no scrubber cleaned",
			broken: func(s *source) []string {
				if !s.test && s.folder != ground && slices.Contains(s.made, "sluice/pipeline/outside.Text") {
					return []string{"converts to outside.Text, or defines a type as it"}
				}
				return nil
			}},
		{name: "plain words only where no word of others is", reason: "it scrubs nothing: what a record, an answer or an address says needs a scrubber",
			broken: func(s *source) []string {
				rooms := []string{ground, "pipeline/sync", "pipeline/warehouse", "pipeline/lineage/rebuild", "pipeline/lineage/importer", "cmd/sluice/cli/view", "cmd/sluice-dev/scale"}
				if s.test || s.folder == "pipeline" || s.within(rooms...) { // pipeline itself says figures of its rules
					return nil
				}
				return used(s, "sluice/pipeline/outside.Plain", "sluice/pipeline/outside.Plainf")
			}},
		{name: "secrets are made where they become known", reason: "a secret that the scrubber does not know is printed when upstream echoes it",
			broken: func(s *source) []string {
				if s.test || s.within("pipeline/upstream/token", "pipeline/engine/config/secrets", "pipeline/engine") {
					return nil
				}
				return used(s, "sluice/pipeline/upstream/wire.NewSecret")
			}},
		{name: "standard output and error are opened in main.go", reason: "whatever is printed leaves through an outlet, which scrubs and cleans it",
			broken: func(s *source) []string {
				if s.test || s.path == "cmd/sluice/main.go" || s.path == "cmd/sluice-lake/main.go" || s.path == sandboxProgram+"/main.go" || s.within(tools()...) {
					return nil
				}
				return used(s, "os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "log.Print", "log.Printf", "log.Println", "log.Default")
			}},
		{name: "the log is made in engine", reason: "its handler scrubs and cleans every line; another one would not",
			broken: func(s *source) []string {
				if s.test || s.within("pipeline/engine") || s.within(tools()...) || slices.Contains(s.names, "log/slog.DiscardHandler") {
					return nil
				}
				return used(s, "log/slog.New", "log/slog.Default", "log/slog.SetDefault", "log/slog.Info", "log/slog.Warn", "log/slog.Error", "log/slog.Debug",
					"github.com/rs/zerolog.New")
			}},
		{name: "commands print JSON by package view", reason: "it escapes what commands a terminal or hides, so that values stay what they are",
			broken: func(s *source) []string {
				if s.test || s.folder != "cmd/sluice/cli" {
					return nil
				}
				return used(s, "encoding/json.NewEncoder", "encoding/json.Marshal", "encoding/json.MarshalIndent")
			}},
	}
}

// used returns the names of a list that a file uses.
func used(s *source, names ...string) []string {
	var found []string
	for _, name := range s.names {
		if slices.Contains(names, name) {
			found = append(found, "uses "+name)
		}
	}
	return found
}
