package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is the account that the server runs as. Postgres refuses to run as root, so root lends it
// another account.
type account struct {
	name string
	lent *syscall.Credential // nil means our own account
}

// chooseAccount returns our own account or, if we are root, one of the accounts that exist for the
// purpose.
func chooseAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{name: "this user"}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(found.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(found.Gid, 10, 32)
		if errUID == nil && errGID == nil {
			return account{name: name, lent: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
		}
	}
	return account{}, errors.New("postgres does not run as root, and there is no account postgres or nobody: run as another user")
}

// place is where a file or folder that a server depends on is.
type place int

const (
	above  place = iota // on the way to the server's folder
	itself              // the server's folder
	inside              // in it
)

// judge returns an error if another account could replace the files with which we are about to
// work. That is so if the server's folder, a part of the way to it or a file in it belongs to
// another account, or is writable for one. Other accounts are all but ours, root and, inside the
// folder, the lent account.
func (a account) judge(path string, at place, info fs.FileInfo) error {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return fmt.Errorf("the owner of %s cannot be seen", path)
	}
	us := uint32(os.Geteuid())
	if a.lent != nil {
		us = 0
	}
	mine := stat.Uid == us || stat.Uid == 0 || a.lent != nil && stat.Uid == a.lent.Uid && at == inside
	if !mine {
		return fmt.Errorf("%s belongs to %s, which could replace what is in it: choose another folder, or `chown %d %s`", path, owner(stat.Uid), us, path)
	}
	open := info.Mode().Perm() & 0o002
	if a.lent != nil && stat.Gid != 0 && (at != inside || stat.Gid != a.lent.Gid) {
		open |= info.Mode().Perm() & 0o020 // a group of its own is usual for a user, not for root
	}
	if info.Mode().Type() == fs.ModeSymlink || at == above && info.Mode()&fs.ModeSticky != 0 {
		open = 0 // the mode of a link says nothing; in a sticky folder such as /tmp, accounts replace only their own files
	}
	if open != 0 {
		return fmt.Errorf("%s is writable for other accounts (mode %04o), which could replace what is in it: choose another folder, or `chmod go-w %s`",
			path, info.Mode().Perm(), path)
	}
	return nil
}

// owner names an account for messages.
func owner(uid uint32) string {
	number := strconv.FormatUint(uint64(uid), 10)
	if found, err := user.LookupId(number); err == nil {
		return found.Username
	}
	return "account " + number
}

// checkWay judges a folder, all folders above it as far as they exist, and the targets of links
// among them. Only root needs this check, because root makes folders and hands them over. It must
// not do so in another account's folder, nor follow another account's link into a folder of root.
func (a account) checkWay(dir string) error {
	if a.lent == nil {
		return nil
	}
	for at := dir; ; at = filepath.Dir(at) {
		if err := a.checkPart(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the folder of the database is %s: %w", dir, err)
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// checkPart judges one folder or link on the way.
func (a account) checkPart(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("looking at %s: %w", path, err)
	}
	if err := a.judge(path, above, info); err != nil || info.Mode().Type() != fs.ModeSymlink {
		return err
	}
	return a.checkLink(path)
}

// checkLink judges the way to the target of a link.
func (a account) checkLink(path string) error {
	if _, err := filepath.EvalSymlinks(path); err != nil { // circular links end here
		return fmt.Errorf("following %s: %w", path, err)
	}
	to, err := os.Readlink(path)
	if err != nil {
		return fmt.Errorf("following %s: %w", path, err)
	}
	if filepath.IsAbs(to) {
		return a.checkWay(filepath.Clean(to))
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("following %s: %w", path, err)
	}
	return a.checkWay(filepath.Join(parent, to))
}

// checkReachable returns an error if the lent account cannot enter a folder on the way to dir. Our
// own account is not checked: the system's error is clear enough.
func (a account) checkReachable(dir string) error {
	for at := dir; a.lent != nil; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", at, err)
		}
		bit := os.FileMode(0o001)
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid == a.lent.Uid {
			bit = 0o100
		} else if ok && stat.Gid == a.lent.Gid {
			bit = 0o010
		}
		if info.Mode().Perm()&bit == 0 {
			return fmt.Errorf("postgres cannot run as root, and the account %s cannot enter %s on the way to %s: "+
				"run as another user, choose a folder such as /var/lib/sluice, or `chmod o+x %s`", a.name, at, dir, at)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	return nil
}
