//go:build e2e && linux

package cli

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneStaticProgram builds the program with the command of `make build`, in another folder, and
// looks for what would bind it to the machine.
func TestOneStaticProgram(t *testing.T) {
	t.Parallel()
	const built = "-o bin/"
	folder := t.TempDir()
	program := filepath.Join(folder, "sluice")
	line := sure(exec.CommandContext(t.Context(), "make", "-s", "-n", "-C", "../../..", "build").Output())(t)
	fatalIf(t, !strings.Contains(string(line), built), "make build does not build into bin: %s", line)
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", strings.ReplaceAll(string(line), built, "-o "+folder+"/"))
	cmd.Dir = "../../.."
	said, err := cmd.CombinedOutput()
	fatalIf(t, err != nil, "%s: %v\n%s", line, err, said)
	file := sure(elf.Open(program))(t)
	t.Cleanup(func() { must(t, file.Close()) })
	for _, part := range file.Progs {
		errorIf(t, part.Type == elf.PT_INTERP, "the program asks for a loader of the machine: it is linked to libraries")
	}
	libraries, err := file.ImportedLibraries()
	errorIf(t, err == nil && len(libraries) > 0, "the program needs %v", libraries)
}
