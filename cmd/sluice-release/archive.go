package main

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// accompany puts beside the programs what belongs to sluice: manual pages, completions, an example of a
// configuration, licenses, and on Linux the units.
func (r *release) accompany(folder string, on platform) error {
	if err := writeManual(folder, r.version, r.at); err != nil {
		return err
	}
	files := map[string]string{
		"config.example.yaml": "config.example.yaml",
		"CHANGELOG.md":        "docs/CHANGELOG.md",
		"licenses.txt":        "cmd/sluice/cli/licenses.txt",
	}
	if on.system == "linux" {
		files["systemd"] = "deploy/systemd"
	}
	for name, from := range files {
		if err := copyAll(filepath.Join(folder, name), filepath.FromSlash(from)); err != nil {
			return fmt.Errorf("adding %s: %w", name, err)
		}
	}
	return age(folder, r.at)
}

// age gives all files below a folder one time, and modes that do not depend on the umask.
func age(folder string, at time.Time) error {
	return filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		return errors.Join(os.Chmod(name, modeOf(info)), os.Chtimes(name, at, at))
	})
}

// modeOf is the mode that a file has in a release: all read it, and what the owner runs all run.
func modeOf(info fs.FileInfo) fs.FileMode {
	if info.IsDir() || info.Mode()&0o100 != 0 {
		return 0o755
	}
	return 0o644
}

// writeArchive packs a folder under a name. The same files give the same bytes: they are in the
// order of their names, belong to root, and have one time.
func writeArchive(to, folder, name string, at time.Time) (err error) {
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(packed)
	err = filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		return addTo(archive, file, path.Join(name, filepath.ToSlash(below)), entry, at)
	})
	return errors.Join(err, archive.Close(), packed.Close())
}

func addTo(archive *tar.Writer, from, name string, entry fs.DirEntry, at time.Time) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	header := &tar.Header{
		Name: name, Mode: int64(modeOf(info)), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatPAX, Typeflag: tar.TypeReg, Size: info.Size(),
	}
	if entry.IsDir() {
		header.Name, header.Typeflag, header.Size = name+"/", tar.TypeDir, 0
		return archive.WriteHeader(header)
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	_, err = io.Copy(archive, file)
	return err
}
