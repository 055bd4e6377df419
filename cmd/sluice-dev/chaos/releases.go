package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"sluice/migrations"
)

// releases are versions of the program, as test binaries of cmd/sluice/cli.
type releases struct {
	previous, next string
	// what says which versions they are.
	what string
}

// build builds versions into a folder: the previous one is this tree, the next one has a further
// migration that expands, migrations/testdata/next.
func build(ctx context.Context, folder string) (releases, error) {
	next := migrations.Version() + 1
	r := releases{
		previous: filepath.Join(folder, "previous.test"), next: filepath.Join(folder, "next.test"),
		what: fmt.Sprintf("from this tree to one with a further migration, %d", next),
	}
	root, err := goSays(ctx, ".", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return r, err
	}
	text, err := os.ReadFile(filepath.Join(root, "migrations", "testdata", "next", "expand.sql"))
	if err != nil {
		return r, fmt.Errorf("read the migration of the next version: %w", err)
	}
	text = bytes.ReplaceAll(text, []byte("NEXT"), fmt.Append(nil, next))
	file, path := filepath.Join(folder, "expand.sql"), filepath.Join(folder, "overlay.json")
	files := map[string]string{filepath.Join(root, "migrations", fmt.Sprintf("%05d_expand.sql", next)): file}
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	if err == nil {
		err = errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(path, overlay, 0o600)) //nolint:gosec // into a folder of its own
	}
	if err != nil {
		return r, fmt.Errorf("describe the next version: %w", err)
	}
	return r, errors.Join(compile(ctx, root, r.previous), compile(ctx, root, r.next, "-overlay", path))
}

// compile builds the test binary of a tree.
func compile(ctx context.Context, root, into string, flags ...string) error {
	_, err := goSays(ctx, root, slices.Concat([]string{"test", "-c", "-vet=off", "-o", into}, flags, []string{"./cmd/sluice/cli"})...)
	return err
}

// goSays runs a command of Go in a folder and returns what it prints.
func goSays(ctx context.Context, folder string, args ...string) (string, error) {
	var out, failed bytes.Buffer
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // arguments of ours
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(failed.Bytes()))
	}
	return strings.TrimSpace(out.String()), nil
}
