package files

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
)

// Exports hold personal data: only their owner reads them.
const (
	folderMode = 0o700
	// buffered is how much is written at once.
	buffered = 64 << 10
)

// ErrExists says that a file is there already.
var ErrExists = errors.New("is there already")

// Folder is a folder that gets files. Until Commit they have names that end with .partial.
type Folder struct {
	path    string
	replace bool
	made    []*File
}

// OpenFolder makes the folder if there is none. It returns ErrExists if one of the files that it
// will get is there, unless they are replaced.
func OpenFolder(path string, names []string, replace bool) (*Folder, error) {
	f := &Folder{path: path, replace: replace}
	if err := os.MkdirAll(path, folderMode); err != nil {
		return nil, fmt.Errorf("make the folder: %w", err)
	}
	return f, f.free(names)
}

func (f *Folder) free(names []string) error {
	if f.replace {
		return nil
	}
	for _, name := range names {
		_, err := os.Lstat(filepath.Join(f.path, name))
		if err == nil {
			return fmt.Errorf("%s %w", filepath.Join(f.path, name), ErrExists)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("look at the folder: %w", err)
		}
	}
	return nil
}

// File is a file of a folder, until it is whole.
type File struct {
	Name string
	// Bytes and SHA256 are those of all that was written, once Close has returned.
	Bytes  int64
	SHA256 string

	file *os.File
	to   *bufio.Writer
	sum  hash.Hash
}

// Create begins a file.
func (f *Folder) Create(name string) (*File, error) {
	file, err := os.CreateTemp(f.path, name+".*.partial") // for its owner alone
	if err != nil {
		return nil, fmt.Errorf("make a file: %w", err)
	}
	made := &File{Name: name, file: file, to: bufio.NewWriterSize(file, buffered), sum: sha256.New()}
	f.made = append(f.made, made)
	return made, nil
}

// Write implements io.Writer.
func (f *File) Write(data []byte) (int, error) {
	n, err := f.to.Write(data)
	f.sum.Write(data[:n])
	f.Bytes += int64(n)
	return n, err
}

// Close ends the file. All of it is on the disk then.
func (f *File) Close() error {
	for _, step := range []func() error{f.to.Flush, f.file.Sync, f.file.Close} {
		if err := step(); err != nil {
			return fmt.Errorf("write %s: %w", f.Name, err)
		}
	}
	f.SHA256 = hex.EncodeToString(f.sum.Sum(nil))
	return nil
}

// Commit gives the files their names, in the order in which they were begun. The last one says that
// the others are whole: one of an earlier time is removed first.
func (f *Folder) Commit() error {
	names := make([]string, 0, len(f.made))
	for _, file := range f.made {
		names = append(names, file.Name)
	}
	if err := f.free(names); err != nil {
		return err
	}
	if f.replace && len(names) > 0 {
		if err := os.Remove(filepath.Join(f.path, names[len(names)-1])); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the file of the earlier export: %w", err)
		}
	}
	for len(f.made) > 0 {
		file := f.made[0]
		if len(f.made) == 1 { // the others have their names for good before it has
			if err := f.settle(); err != nil {
				return err
			}
		}
		if err := os.Rename(file.file.Name(), filepath.Join(f.path, file.Name)); err != nil {
			return fmt.Errorf("name a file: %w", err)
		}
		f.made = f.made[1:]
	}
	return f.settle()
}

// settle has the names of the folder written to the disk.
func (f *Folder) settle() error {
	folder, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	defer func() { _ = folder.Close() }() // it was only read
	_ = folder.Sync()                     // not every system can do it for a folder
	return nil
}

// Discard removes the files that have not got their names.
func (f *Folder) Discard() error {
	var failed error
	for _, file := range f.made {
		_ = file.file.Close() // it may be closed already
		failed = errors.Join(failed, os.Remove(file.file.Name()))
	}
	f.made = nil
	return failed
}
