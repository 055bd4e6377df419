package local

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

const (
	// memory is where Linux mounts a file system in memory. A container often has a small one.
	memory = "/dev/shm"
	// minRoom is the free space that a server in memory needs.
	minRoom = 4 << 30
)

// folder is the folder of one server. Root lends the server an account and keeps the folder itself,
// closed to all writers. So the account cannot create a link or a folder there before root makes
// one and hands it over.
type folder struct {
	who  account
	path string
	root *os.Root
}

// openFolder makes the folder of a server, if it is missing, and refuses one that another account
// owns or may write to.
func openFolder(dir string, who account, inMemory bool) (*folder, error) {
	var err error
	if dir == "" {
		dir, err = makeTemporary(who, inMemory)
	} else if dir, err = filepath.Abs(dir); err == nil {
		// Other accounts may only pass through: the server's account must reach its own folder
		// below, which is closed to all others.
		if err = who.checkWay(dir); err == nil {
			err = os.MkdirAll(dir, 0o711)
		}
	}
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("making the folder of the database: %w", err)
	}
	if err = errors.Join(who.checkReachable(dir), who.checkWay(dir)); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of the database: %w", err)
	}
	f := &folder{who: who, path: dir, root: root}
	if err := f.check(); err != nil {
		_ = root.Close() // nothing was written
		return nil, err
	}
	return f, nil
}

// makeTemporary makes a folder in the system's folder for temporary files, or under /tmp if that
// one is unsuitable. With inMemory it prefers the file system in memory.
func makeTemporary(who account, inMemory bool) (string, error) {
	parent, err := filepath.EvalSymlinks(os.TempDir())
	if inMemory && hasRoom(memory) {
		parent, err = memory, nil
	}
	if err != nil || who.checkReachable(parent) != nil || who.checkWay(parent) != nil {
		parent = "/tmp"
	}
	dir, err := os.MkdirTemp(parent, "sluice-pg-")
	if err == nil && who.lent != nil {
		err = os.Chmod(dir, 0o711) // as a named folder; root hands it over in its last step
	}
	return dir, err
}

// hasRoom reports whether a file system exists and has minRoom bytes left.
func hasRoom(path string) bool {
	var stat syscall.Statfs_t
	return syscall.Statfs(path, &stat) == nil && stat.Bavail*uint64(stat.Bsize) >= minRoom
}

// check judges the folder itself and the files in it that a start uses.
func (f *folder) check() error {
	info, err := f.root.Stat(".")
	if err != nil {
		return fmt.Errorf("looking at the folder of the database: %w", err)
	}
	if err := f.who.judge(f.path, itself, info); err != nil {
		return err
	}
	for name, kind := range map[string]fs.FileMode{
		"lock": 0, "server.log": 0, "run": fs.ModeDir, "data.new": fs.ModeDir, "data": fs.ModeDir,
	} {
		info, err := f.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("looking at the folder of the database: %w", err)
		}
		path := filepath.Join(f.path, name)
		if err := f.who.judge(path, inside, info); err != nil {
			return err
		}
		// The owner may have put the cluster elsewhere, by a link: nothing of it is ever handed
		// over.
		if found := info.Mode().Type(); found != kind && (name != "data" || found != fs.ModeSymlink) {
			return fmt.Errorf("%s is %s and cannot be used: move it away", path, found)
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && kind == 0 && stat.Nlink > 1 {
			return fmt.Errorf("%s has a second name elsewhere (a hard link) and cannot be used: move it away", path)
		}
	}
	return nil
}

// give makes a folder in the server's folder, if it is missing, that only the account (and root)
// can use.
func (f *folder) give(name string) error {
	if err := f.root.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("making the folder: %w", err)
	}
	return f.who.hand(f.root, name)
}

// handOver gives the folder itself to the account, which removes it in the end. It is root's last
// step in a temporary folder. Later root only reads the account's files there, as it does in a
// named folder, or uses files that are already open.
func (f *folder) handOver() error {
	if f.who.lent == nil {
		return nil
	}
	dir, err := f.root.Open(".")
	if err != nil {
		return fmt.Errorf("opening the folder of the database: %w", err)
	}
	defer func() { _ = dir.Close() }() // nothing was written
	if err := dir.Chown(int(f.who.lent.Uid), int(f.who.lent.Gid)); err != nil {
		return fmt.Errorf("giving the folder to %s: %w", f.who.name, err)
	}
	return nil
}

// hand gives a folder of ours to the account. It has to be a real folder, empty, in a parent where
// no other account can replace it.
func (a account) hand(parent *os.Root, name string) error {
	if a.lent == nil {
		return nil
	}
	info, err := parent.Lstat(name)
	if err != nil {
		return fmt.Errorf("looking at the folder: %w", err)
	}
	path := filepath.Join(parent.Name(), name)
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || !info.IsDir():
		return fmt.Errorf("%s is no folder: move it away", path)
	case stat.Uid == a.lent.Uid:
		return nil
	case stat.Uid != 0:
		return a.judge(path, inside, info)
	}
	dir, err := parent.Open(name)
	if err != nil {
		return fmt.Errorf("opening the folder: %w", err)
	}
	defer func() { _ = dir.Close() }() // nothing was written
	if names, err := dir.Readdirnames(1); !errors.Is(err, io.EOF) {
		return errors.Join(fmt.Errorf("%s is root's and holds %v, so it is not given to %s: move it away", path, names, a.name), err)
	}
	if err := parent.Lchown(name, int(a.lent.Uid), int(a.lent.Gid)); err != nil {
		return fmt.Errorf("giving the folder to %s: %w", a.name, err)
	}
	return nil
}
