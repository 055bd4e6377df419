package localpg

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is whom the server runs as. Postgres refuses to run as root, so root lends it another account.
type account struct {
	name string
	lent *syscall.Credential // nil: our own account
}

// chooseAccount returns our own account, or one of those that exist for the purpose if we are root.
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

// makeDir makes a folder, if it is missing, that only the account (and root) can use.
func (a account) makeDir(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return fmt.Errorf("making the folder: %w", err)
	}
	if a.lent == nil {
		return nil
	}
	if err := os.Chown(dir, int(a.lent.Uid), int(a.lent.Gid)); err != nil {
		return fmt.Errorf("giving the folder to %s: %w", a.name, err)
	}
	return nil
}

// checkReachable returns an error if the account cannot reach the folder: some folder above it is closed. Only a lent
// account can meet that; for our own the system's error is clear enough.
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
