package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platform is what a program runs on, as Go names it.
type platform struct{ system, architecture string }

// release is one release: where it is made, and of what.
type release struct {
	out, version, revision string
	// at is the time of the commit, which all files of the release carry.
	at        time.Time
	platforms []platform
	nfpm      string
	quick     bool
}

// sources are what the program is built of: folders and files of the module.
func sources() []string {
	return []string{
		"go.mod", "go.sum", "example.go", "config.example.yaml", "docs/analysts/questions.md", "cmd", "connectors", "migrations", "pipeline",
		"sandbox", "schema",
	}
}

// unreleased is the version of a commit without a tag. Its numbers sort before every release.
const unreleased = "0.0.0-dev"

// short is the length of a revision in a version.
const short = 12

var tag = regexp.MustCompile(`^v(\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?)$`)

// stamp asks git for the revision, its time, and the version if none was given.
func (r *release) stamp(ctx context.Context) error {
	said, err := output(ctx, "git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return fmt.Errorf("a release is made of a commit: %w", err)
	}
	revision, seconds, _ := strings.Cut(said, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("the time of the commit: %w", err)
	}
	r.revision, r.at = revision, time.Unix(unix, 0).UTC()
	changed, err := output(ctx, "git", "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if r.version != "" {
		return nil
	}
	tags, err := output(ctx, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	r.version = versionOf(strings.Fields(tags), revision, changed != "")
	return nil
}

// versionOf gives the version of a commit: its tag's, if the files are those of the commit. The
// highest of several tags counts that are written as vX.Y.Z.
func versionOf(tags []string, revision string, changed bool) string {
	suffix := "+" + revision[:min(short, len(revision))]
	if changed {
		return unreleased + suffix + ".changed"
	}
	slices.Sort(tags)
	for _, name := range slices.Backward(tags) {
		if found := tag.FindStringSubmatch(name); found != nil {
			return found[1]
		}
	}
	return unreleased + suffix
}

// make makes the release twice and compares the two.
func (r *release) make(ctx context.Context, out io.Writer) error {
	temporary, err := os.MkdirTemp("", "sluice-release-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temporary) }() // the system cleans up what is left
	var made []string
	for _, name := range []string{"first", "second-and-elsewhere"} {
		dir := filepath.Join(temporary, name)
		if err := r.makeOnce(ctx, dir); err != nil {
			return err
		}
		made = append(made, filepath.Join(dir, "dist"))
	}
	sums, err := same(made[0], made[1])
	if err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.CopyFS(r.out, os.DirFS(made[0])); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "sluice %s, made twice and equal, in %s:\n%s", r.version, r.out, sums)
	return nil
}

// makeOnce makes the release in a fresh folder: src is a copy of the sources, dist the release.
func (r *release) makeOnce(ctx context.Context, dir string) error {
	src, dist := filepath.Join(dir, "src"), filepath.Join(dir, "dist")
	if err := os.MkdirAll(dist, 0o750); err != nil {
		return err
	}
	for _, name := range sources() {
		if err := copyAll(filepath.Join(src, name), name); err != nil {
			return fmt.Errorf("copying the sources: %w", err)
		}
	}
	cache := ""
	if !r.quick {
		cache = filepath.Join(dir, "cache")
	}
	for _, on := range r.platforms {
		name := fmt.Sprintf("sluice-%s-%s-%s", r.version, on.system, on.architecture)
		folder := filepath.Join(dir, name)
		for _, program := range []string{"sluice", "sluice-sandbox"} {
			if err := r.build(ctx, src, cache, filepath.Join(folder, program), on); err != nil {
				return err
			}
		}
		if err := r.accompany(folder, on); err != nil { //nolint:contextcheck // none of the commands runs
			return err
		}
		if err := writeArchive(filepath.Join(dist, name+".tar.gz"), folder, name, r.at); err != nil {
			return fmt.Errorf("packing %s: %w", name, err)
		}
		if err := writeSBOM(filepath.Join(dist, name+".cdx.json"), filepath.Join(folder, "sluice"), r.version, r.at); err != nil {
			return err
		}
		if on.system == "linux" && r.nfpm != "" {
			if err := r.packages(ctx, folder, dist, on); err != nil {
				return err
			}
		}
	}
	return nil
}

// build builds a program: one static file, its own time zones, and no word of where it was built.
func (r *release) build(ctx context.Context, src, cache, to string, on platform) error {
	flags := fmt.Sprintf("-s -w -X sluice/cmd/sluice/cli.version=%s -X sluice/cmd/sluice/cli.revision=%s", r.version, r.revision)
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-tags", "timetzdata",
		"-ldflags", flags, "-o", to, "./cmd/"+filepath.Base(to))
	cmd.Dir = src
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=", "GOARM64=", "GOOS="+on.system, "GOARCH="+on.architecture)
	if cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+cache)
	}
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building for %s/%s: %w\n%s", on.system, on.architecture, err, said)
	}
	return nil
}

// same compares two folders file by file, and gives the checksums of what is in them, in the form
// of sha256sum.
func same(first, second string) (string, error) {
	one, err := digests(first)
	if err != nil {
		return "", err
	}
	two, err := digests(second)
	if err != nil {
		return "", err
	}
	var sums strings.Builder
	var problems []error
	names := slices.Sorted(maps.Keys(one))
	for _, name := range names {
		if one[name] != two[name] {
			problems = append(problems, fmt.Errorf("%s differs when it is made again: the release is not reproducible", name))
		}
		fmt.Fprintf(&sums, "%s  %s\n", one[name], name)
	}
	if other := slices.Sorted(maps.Keys(two)); !slices.Equal(names, other) {
		problems = append(problems, fmt.Errorf("made again, the release has other files: %q, not %q", other, names))
	}
	return sums.String(), errors.Join(problems...)
}

// digests are the SHA-256 of the files of a folder, by name.
func digests(dir string) (map[string]string, error) {
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // only read
		hash := sha256.New()
		if _, err := io.Copy(hash, file); err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		found[filepath.ToSlash(name)] = hex.EncodeToString(hash.Sum(nil))
		return err
	})
	return found, err
}

// copyAll copies a file, or a folder with what is in it.
func copyAll(to, from string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		return err
	}
	return os.WriteFile(to, text, info.Mode().Perm())
}

// output runs a command and gives what it prints, without space around it. Its error
// has what the command complained of.
func output(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	said, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errs.String())
	}
	return strings.TrimSpace(string(said)), nil
}
