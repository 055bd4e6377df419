package secrets

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"sluice/pipeline/upstream/wire"
)

// Destination is where a new value of a secret belongs, as the reference in the configuration says.
// One of the two is set; neither for a reference to anything else.
type Destination struct {
	// Variable is a variable of the environment: another program sets it.
	Variable string
	// File is the absolute path of a file.
	File string
}

// Destination tells where the value of a reference belongs. It fails if the path of a file is not
// usable.
func (s Source) Destination(raw string) (Destination, error) {
	if path, isFile := strings.CutPrefix(raw, "file:"); isFile {
		path, err := s.Expand(path)
		if err == nil && !filepath.IsAbs(path) {
			err = errors.New("the path of a secret has to be absolute: write file:/path")
		}
		return Destination{File: path}, err
	}
	if referenceOnly.MatchString(raw) {
		return Destination{Variable: reference.FindStringSubmatch(raw)[1]}, nil
	}
	return Destination{}, nil
}

// The bits that a file of a secret may have: its owner's, and reading for its group.
const mostMode, ownMode fs.FileMode = 0o640, 0o600

// Replacement is a file beside the file of a secret, which it replaces in one step.
type Replacement struct {
	path string
	file *os.File
}

// Replace prepares a new value for the file at path, so that it is certain beforehand that a secret
// can be stored. A file that is there keeps its owner, its group, and reading for its group; a new
// one belongs to this user alone. The file itself changes with Commit only.
func Replace(path string) (*Replacement, error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the link stays
	}
	before, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the secret's file cannot be replaced: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // readable and writable for this user alone
	if errors.Is(err, fs.ErrNotExist) {
		folder := filepath.Dir(path)
		return nil, fmt.Errorf("the folder %s of the secret's file is not there: make it (install -d -m 700 %s)", folder, folder)
	} else if err != nil {
		return nil, fmt.Errorf("the secret's file cannot be written: %w", err)
	}
	r := &Replacement{path: path, file: file}
	if before != nil {
		err = r.takeAfter(before)
	}
	if err != nil {
		return nil, errors.Join(err, r.Cancel())
	}
	return r, nil
}

// takeAfter gives the new file the owner and the mode of the present one.
func (r *Replacement) takeAfter(before fs.FileInfo) error {
	if !before.Mode().IsRegular() {
		return fmt.Errorf("the secret's file %s is not a regular file: write the path of the file itself", r.path)
	}
	if owner, ok := before.Sys().(*syscall.Stat_t); ok && (int(owner.Uid) != os.Geteuid() || int(owner.Gid) != os.Getegid()) {
		if err := r.file.Chown(int(owner.Uid), int(owner.Gid)); err != nil {
			return fmt.Errorf("the new file would not belong to the account of the present one: %w", err)
		}
	}
	if err := r.file.Chmod(before.Mode().Perm()&mostMode | ownMode); err != nil {
		return fmt.Errorf("set the mode of the secret's file: %w", err)
	}
	return nil
}

// Commit writes the value and replaces the file: readers see the former value or the new one, also
// after a crash.
func (r *Replacement) Commit(value wire.Secret) error {
	_, err := r.file.WriteString(value.Reveal() + "\n")
	if err == nil {
		err = r.file.Sync()
	}
	if err = errors.Join(err, r.file.Close()); err == nil {
		err = os.Rename(r.file.Name(), r.path)
	}
	if err != nil {
		_ = os.Remove(r.file.Name()) // the cause is more use than what follows from it
		return fmt.Errorf("the secret's file cannot be written: %w", err)
	}
	folder, err := os.Open(filepath.Dir(r.path))
	if err != nil {
		return fmt.Errorf("the secret's folder cannot be synced: %w", err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("the secret's folder cannot be synced: %w", err)
	}
	return nil
}

// Cancel removes what Replace made.
func (r *Replacement) Cancel() error {
	if err := errors.Join(r.file.Close(), os.Remove(r.file.Name())); err != nil {
		return fmt.Errorf("remove the prepared file: %w", err)
	}
	return nil
}
