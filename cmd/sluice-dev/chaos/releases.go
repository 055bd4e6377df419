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

// firstOfChain is in the tree of every version whose tables this one can migrate, and that can work
// on a newer database.
const firstOfChain = "migrations/00101_streams.sql"

// build builds versions into a folder. The next one is this tree, the previous one a revision of
// it: that of the last tag if none is named. Without such a revision, this tree is the previous
// version, and the next one has a further migration, that of migrations/testdata/next.
func build(ctx context.Context, folder, revision string) (releases, error) {
	r := releases{previous: filepath.Join(folder, "previous.test"), next: filepath.Join(folder, "next.test")}
	root, err := said(ctx, ".", "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return r, err
	}
	if revision == "" {
		revision = lastRelease(ctx, root)
	}
	if revision == "" {
		return r, r.further(ctx, root, folder)
	}
	r.what = "from " + revision + " to this tree"
	before := filepath.Join(folder, "previous")
	if err := checkOut(ctx, root, revision, before); err != nil {
		return r, err
	}
	return r, errors.Join(compile(ctx, before, r.previous), compile(ctx, root, r.next))
}

// lastRelease returns the last tag whose tables this tree can migrate; "" if there is none.
func lastRelease(ctx context.Context, root string) string {
	tag, err := said(ctx, root, "git", "describe", "--tags", "--abbrev=0")
	if err != nil {
		return "" // no tag, or no repository
	}
	if _, err := said(ctx, root, "git", "cat-file", "-e", tag+":"+firstOfChain); err != nil {
		return ""
	}
	return tag
}

// further builds this tree as the previous version, with a further migration that expands as the
// next one.
func (r *releases) further(ctx context.Context, root, folder string) error {
	next := migrations.Version() + 1
	r.what = fmt.Sprintf("from this tree to one with a further migration, %d", next)
	text, err := os.ReadFile(filepath.Join(root, "migrations", "testdata", "next", "expand.sql"))
	if err != nil {
		return fmt.Errorf("read the migration of the next version: %w", err)
	}
	text = bytes.ReplaceAll(text, []byte("NEXT"), fmt.Append(nil, next))
	file, path := filepath.Join(folder, "expand.sql"), filepath.Join(folder, "overlay.json")
	files := map[string]string{filepath.Join(root, "migrations", fmt.Sprintf("%05d_expand.sql", next)): file}
	overlay, err := json.Marshal(map[string]any{"Replace": files})
	if err == nil {
		err = errors.Join(os.WriteFile(file, text, 0o600), os.WriteFile(path, overlay, 0o600)) //nolint:gosec // into a folder of its own
	}
	if err != nil {
		return fmt.Errorf("describe the next version: %w", err)
	}
	return errors.Join(compile(ctx, root, r.previous), compile(ctx, root, r.next, "-overlay", path))
}

// checkOut writes the tree of a revision into a folder.
func checkOut(ctx context.Context, root, revision, folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make a folder for %s: %w", revision, err)
	}
	archive := folder + ".tar"
	if _, err := said(ctx, root, "git", "archive", "--output", archive, revision); err != nil {
		return fmt.Errorf("read the revision %q: %w", revision, err)
	}
	_, err := said(ctx, folder, "tar", "-xf", archive)
	if _, missing := os.Stat(filepath.Join(folder, firstOfChain)); err == nil && missing != nil {
		err = fmt.Errorf("the revision %q has no %s: its tables cannot be migrated", revision, firstOfChain)
	}
	return err
}

// compile builds the test binary of a tree.
func compile(ctx context.Context, root, into string, flags ...string) error {
	_, err := said(ctx, root, "go", slices.Concat([]string{"test", "-c", "-vet=off", "-o", into}, flags, []string{"./cmd/sluice/cli"})...)
	return err
}

// said runs a command in a folder and returns what it prints.
func said(ctx context.Context, folder, name string, args ...string) (string, error) {
	var out, failed bytes.Buffer
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // git, go and tar, with arguments of the developer's
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &failed
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(failed.Bytes()))
	}
	return strings.TrimSpace(out.String()), nil
}
