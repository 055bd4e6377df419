package local

import (
	"errors"
	"fmt"
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

// give gives a folder of ours to the account.
func (a account) give(path string) error {
	if a.lent == nil {
		return nil
	}
	return os.Lchown(path, int(a.lent.Uid), int(a.lent.Gid))
}

// checkOwn returns an error if another account could replace what is in a folder: if it belongs to
// one, or is writable for one.
func (a account) checkOwn(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	us := os.Geteuid()
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int(stat.Uid) != us {
		return fmt.Errorf("%s belongs to another account, which could replace what is in it: choose another folder, or `chown %d %s`", dir, us, dir)
	}
	others := os.FileMode(0o002)
	if a.lent != nil {
		others = 0o022 // a group of its own is usual for a user, not for root
	}
	if info.Mode().Perm()&others != 0 {
		return fmt.Errorf("%s is writable for other accounts (mode %04o), which could replace what is in it: choose another folder, or `chmod go-w %s`",
			dir, info.Mode().Perm(), dir)
	}
	return nil
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
