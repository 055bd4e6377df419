package localpg

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAccountMustReachTheFolder(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	inside := filepath.Join(closed, "inside")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	stranger := account{name: "stranger", uid: 4_000_000_001, gid: 4_000_000_001, borrowed: true}
	err := stranger.checkReachable(inside)
	if err == nil || !strings.Contains(err.Error(), "cannot enter "+closed+" ") {
		t.Errorf("error %v does not name %s", err, closed)
	}
	if err := (account{name: "this user"}).checkReachable(inside); err != nil {
		t.Errorf("our own account: %v", err)
	}
}

func TestFirstNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"15.18 (Debian 15.18-0+deb12u1)": "15", "/usr/lib/postgresql/9.6/bin": "9", "17\n": "17", "18beta1": "18", "": "", "bin": "",
	} {
		if got := firstNumber(text); got != want {
			t.Errorf("firstNumber(%q) = %q, want %q", text, got, want)
		}
	}
	if newestFirst("/usr/lib/postgresql/9/bin", "/usr/lib/postgresql/15/bin") <= 0 {
		t.Error("version 9 is put before version 15")
	}
}

func TestSweepTakesOnlyWhatNobodyHolds(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	made := func(name string, age time.Duration) string {
		dir := filepath.Join(parent, tempPrefix+name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		lock := filepath.Join(dir, "lock")
		if err := os.WriteFile(lock, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-age)
		if err := os.Chtimes(lock, old, old); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dead, young, held, own := made("dead", time.Hour), made("young", 0), made("held", time.Hour), made("own", 0)
	lock, err := tryLock(filepath.Join(held, "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	sweep(own)
	for dir, want := range map[string]bool{dead: false, young: true, held: true, own: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s kept: %v, want %v", dir, err == nil, want)
		}
	}
}
