package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestNoFolderIsHandedOverByALink races a process of the account that root lends: it plants `run ->
// victim` in each folder of a server that appears. The folder behind the link must remain root's. A
// process that is not root hands over nothing: then it only meets the links.
//
//nolint:paralleltest // temporary folders are made where the environment says
func TestNoFolderIsHandedOverByALink(t *testing.T) {
	who := chosen(t)
	stage := openPlace(t, "localpg-race-")
	victim, place, planter := filepath.Join(stage, "victim"), filepath.Join(stage, "tmp"), filepath.Join(stage, "planter")
	for _, dir := range []string{victim, place} {
		must(t, os.Mkdir(dir, 0o700))
	}
	program, err := os.ReadFile(os.Args[0])
	must(t, err)
	must(t, os.WriteFile(planter, program, 0o755))
	for dir, mode := range map[string]os.FileMode{stage: 0o711, place: 0o777 | os.ModeSticky} {
		must(t, os.Chmod(dir, mode))
	}
	cmd := exec.CommandContext(t.Context(), planter)
	cmd.Dir, cmd.Env = stage, []string{"LOCALPG_TEST_PLANT=" + place, "LOCALPG_TEST_VICTIM=" + victim}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: who.lent}
	said, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	if _, err := said.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the planter does not run: %v", err)
	}
	for range 300 {
		prepareOnce(t, place, who)
	}
	info, err := os.Lstat(victim)
	must(t, err)
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	errorIf(t, owner != os.Geteuid(), "the folder of another belongs to %d now, want %d", owner, os.Geteuid())
}

// chosen returns the account that servers of this process run as.
func chosen(t *testing.T) account {
	t.Helper()
	who, err := chooseAccount()
	must(t, err)
	return who
}

// openPlace makes a folder that other accounts can enter, which the test's own folders are not.
func openPlace(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", name)
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// prepareOnce does all that a start does in a temporary folder before programs run there.
func prepareOnce(t *testing.T, place string, who account) {
	t.Helper()
	t.Setenv("TMPDIR", place)
	home, err := openFolder("", who, false)
	must(t, err)
	defer func() { _ = home.root.Close() }()
	if filepath.Dir(home.path) != place {
		t.Fatalf("the folder is %s, and the process that plants links looks in %s", home.path, place)
	}
	s := &Server{who: who, dir: home.path, folder: home}
	must(t, s.takeLock(t.Context()))
	_ = s.lock.Close() // nothing was written
	if err := s.furnish(); err != nil {
		if who.lent != nil {
			t.Fatal(err)
		}
		return // the links of our own account were refused
	}
	_ = s.log.Close()
}

// part is a file or folder with a given owner.
type part struct {
	fs.FileInfo
	mode     fs.FileMode
	uid, gid uint32
}

func (p part) Mode() fs.FileMode { return p.mode }
func (p part) IsDir() bool       { return p.mode.IsDir() }
func (p part) Sys() any          { return &syscall.Stat_t{Uid: p.uid, Gid: p.gid, Nlink: 1} }

func TestWhoMayOwnAServersFolder(t *testing.T) {
	t.Parallel()
	const lent, stranger = 4_000_000_001, 4_000_000_002
	us := uint32(os.Geteuid())
	root := account{name: "lent", lent: &syscall.Credential{Uid: lent, Gid: lent}}
	user := account{name: "this user"}
	dir := func(perm fs.FileMode) fs.FileMode { return fs.ModeDir | perm }
	for name, c := range map[string]struct {
		who  account
		at   place
		part part
		want string
	}{
		"root's":                                  {root, itself, part{mode: dir(0o711)}, ""},
		"root's, for its group":                   {root, itself, part{mode: dir(0o775)}, ""},
		"root's, writable for a group":            {root, itself, part{mode: dir(0o771), gid: stranger}, "writable for other accounts"},
		"root's, writable for the lent account's": {root, itself, part{mode: dir(0o771), gid: lent}, "writable for other accounts"},
		"root's, writable for all":                {root, itself, part{mode: dir(0o777)}, "writable for other accounts"},
		"root's, writable for all and sticky":     {root, itself, part{mode: dir(0o777) | fs.ModeSticky}, "writable for other accounts"},
		"the lent account's":                      {root, itself, part{mode: dir(0o700), uid: lent}, "belongs to account 4000000001"},
		"a stranger's":                            {root, itself, part{mode: dir(0o700), uid: stranger}, "belongs to account 4000000002"},
		"above: root's":                           {root, above, part{mode: dir(0o755)}, ""},
		"above: the lent account's":               {root, above, part{mode: dir(0o700), uid: lent}, "belongs to"},
		"above: a stranger's":                     {root, above, part{mode: dir(0o755), uid: stranger}, "belongs to"},
		"above: as /tmp":                          {root, above, part{mode: dir(0o777) | fs.ModeSticky}, ""},
		"above: as /tmp, not sticky":              {root, above, part{mode: dir(0o777)}, "writable for other accounts"},
		"above: writable for a group":             {root, above, part{mode: dir(0o775), gid: stranger}, "writable for other accounts"},
		"inside: the lent account's":              {root, inside, part{mode: dir(0o700), uid: lent, gid: lent}, ""},
		"inside: a stranger's":                    {root, inside, part{mode: dir(0o700), uid: stranger}, "belongs to"},
		"inside: a stranger's file":               {root, inside, part{mode: 0o600, uid: stranger}, "belongs to"},
		"inside: a file writable for all":         {root, inside, part{mode: 0o666}, "writable for other accounts"},
		"a user's own":                            {user, itself, part{mode: dir(0o775), uid: us, gid: stranger}, ""},
		"a user's own, writable for all":          {user, itself, part{mode: dir(0o777), uid: us}, "writable for other accounts"},
		"a user's: a stranger's":                  {user, itself, part{mode: dir(0o700), uid: stranger}, "belongs to"},
		"a user's: inside: a stranger's":          {user, inside, part{mode: dir(0o700), uid: stranger}, "belongs to"},
	} {
		err := c.who.judge("/srv/x", c.at, c.part)
		got := fmt.Sprint(err)
		errorIf(t, (err == nil) != (c.want == "") || !strings.Contains(got, c.want), "%s: %v, want %q", name, err, c.want)
		errorIf(t, err != nil && !strings.Contains(err.Error(), "`ch"), "%s: the error does not say what helps: %v", name, err)
	}
}

// TestNoNameOfOthersIsFollowed gives root three paths. One is a link of another account to a folder
// of root's, one is a link of root's that leads to such a link, and one is below a folder of
// another account. Root makes and hands over nothing.
func TestNoNameOfOthersIsFollowed(t *testing.T) {
	t.Parallel()
	who := chosen(t)
	if who.lent == nil {
		return // only root lends an account
	}
	for name, other := range map[string]int{"a stranger": 4_000_000, "the lent account": int(who.lent.Uid)} {
		stage := openPlace(t, "localpg-names-")
		victim, home, ours := filepath.Join(stage, "victim"), filepath.Join(stage, "home"), filepath.Join(stage, "ours")
		link := filepath.Join(home, "link")
		if err := errors.Join(os.Chmod(stage, 0o711), os.MkdirAll(filepath.Join(victim, "run"), 0o755), os.Mkdir(home, 0o755), os.Symlink(victim, link),
			os.Symlink(link, ours), os.Lchown(link, other, other), os.Chown(home, other, other)); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{link, filepath.Join(link, "deep"), ours, filepath.Join(ours, "deep"), filepath.Join(home, "new", "deep")} {
			if f, err := openFolder(dir, who, false); err == nil {
				_ = f.root.Close()
				t.Errorf("%s: %s is used", name, dir)
			}
		}
		for dir, want := range map[string]int{victim: 1, home: 1} {
			entries, err := os.ReadDir(dir)
			errorIf(t, err != nil || len(entries) != want, "%s: %s holds %v now: %v", name, dir, entries, err)
		}
	}
}

// TestATemporaryFolderIsNotMadeAmongOthers: the environment names a folder of another account for
// temporary files.
//
//nolint:paralleltest // temporary folders are made where the environment says
func TestATemporaryFolderIsNotMadeAmongOthers(t *testing.T) {
	who := chosen(t)
	if who.lent == nil {
		return // only root lends an account
	}
	for _, other := range []int{4_000_000, int(who.lent.Uid)} {
		place := openPlace(t, "localpg-others-")
		must(t, errors.Join(os.Chmod(place, 0o755), os.Chown(place, other, other)))
		t.Setenv("TMPDIR", place)
		home, err := openFolder("", who, false)
		must(t, err)
		t.Cleanup(func() { _ = os.RemoveAll(home.path) })
		_ = home.root.Close()
		errorIf(t, filepath.Dir(home.path) != "/tmp", "in the folder of account %d: %s", other, home.path)
	}
}

// TestAServerInMemoryNeedsRoom: a machine without room in memory has the folder where it would be.
//
//nolint:paralleltest // temporary folders are made where the environment says
func TestAServerInMemoryNeedsRoom(t *testing.T) {
	place := openPlace(t, "localpg-memory-")
	must(t, os.Chmod(place, 0o711))
	t.Setenv("TMPDIR", place)
	home, err := openFolder("", chosen(t), true)
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home.path) })
	_ = home.root.Close()
	want := place
	if hasRoom(memory) {
		want = memory
	}
	errorIf(t, filepath.Dir(home.path) != want || hasRoom(filepath.Join(place, "missing")),
		"%s is not in %s, or a missing folder has room", home.path, want)
}

// TestRootGivesOnlyEmptyFolders: root may still need a folder of its own that holds something.
func TestRootGivesOnlyEmptyFolders(t *testing.T) {
	t.Parallel()
	who := chosen(t)
	if who.lent == nil {
		return // only root lends an account
	}
	dir := openPlace(t, "localpg-given-")
	must(t, errors.Join(os.Chmod(dir, 0o711), os.MkdirAll(filepath.Join(dir, "run", "something"), 0o711)))
	home, err := openFolder(dir, who, false)
	must(t, err)
	defer func() { _ = home.root.Close() }()
	err = home.give("run")
	errorIf(t, err == nil || !strings.Contains(err.Error(), "is root's and holds"), "a folder that holds something: %v", err)
	info, err := os.Lstat(filepath.Join(dir, "run"))
	must(t, err)
	owner := info.Sys().(*syscall.Stat_t).Uid
	errorIf(t, owner != 0, "it belongs to %d now", owner)
}

// TestNotesAreTrueFiles: the server's account may put other things in the place of its notes. These
// neither show another account's files nor make the reader wait.
func TestNotesAreTrueFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link, pipe, long := filepath.Join(dir, "link"), filepath.Join(dir, "pipe"), filepath.Join(dir, "long")
	must(t, errors.Join(os.Symlink("/etc/passwd", link), syscall.Mkfifo(pipe, 0o600), os.WriteFile(long, make([]byte, 1<<20), 0o600)))
	for _, path := range []string{link, pipe, dir} {
		text, err := readNote(path)
		errorIf(t, err == nil, "%s was read: %q", path, text)
	}
	text, err := readNote(long)
	errorIf(t, err != nil || len(text) > 4096, "%d bytes of a long file were read: %v", len(text), err)
}

// TestALinkOfRootsIsFollowed: a data folder may be elsewhere, as /var/lib on another disk.
func TestALinkOfRootsIsFollowed(t *testing.T) {
	t.Parallel()
	who := chosen(t)
	stage := openPlace(t, "localpg-link-")
	link := filepath.Join(stage, "link")
	must(t, errors.Join(os.Chmod(stage, 0o711), os.Mkdir(filepath.Join(stage, "disk"), 0o711), os.Symlink("disk", link)))
	home, err := openFolder(filepath.Join(link, "sluice"), who, false)
	must(t, err)
	_ = home.root.Close()
	errorIf(t, home.path != filepath.Join(stage, "disk", "sluice"), "the folder is %s", home.path)
}

// TestWhatOthersPlantedIsRefused checks what a server's folder may contain before the start. Root
// meets folders of other accounts, too.
func TestWhatOthersPlantedIsRefused(t *testing.T) {
	t.Parallel()
	who := chosen(t)
	const stranger = 4_000_000_002
	cases := map[string]func(dir string) error{
		"run is a link":        func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "run")) },
		"data.new is a link":   func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "data.new")) },
		"server.log is a link": func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "server.log")) },
		"lock is a pipe":       func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "lock"), 0o600) },
		"data is a file":       func(dir string) error { return os.WriteFile(filepath.Join(dir, "data"), nil, 0o600) },
		"server.log has another name": func(dir string) error {
			other := filepath.Join(dir, "other")
			return errors.Join(os.WriteFile(other, nil, 0o600), os.Link(other, filepath.Join(dir, "server.log")))
		},
		"the folder is writable for all": func(dir string) error { return os.Chmod(dir, 0o777) },
	}
	if who.lent != nil {
		cases["the folder is a stranger's"] = func(dir string) error { return os.Chown(dir, stranger, stranger) }
		cases["the folder is the lent account's"] = func(dir string) error { return os.Chown(dir, int(who.lent.Uid), int(who.lent.Gid)) }
		cases["run is a stranger's"] = func(dir string) error {
			run := filepath.Join(dir, "run")
			return errors.Join(os.Mkdir(run, 0o700), os.Chown(run, stranger, stranger))
		}
		cases["data is a stranger's link"] = func(dir string) error {
			link := filepath.Join(dir, "data")
			return errors.Join(os.Symlink("/srv", link), os.Lchown(link, stranger, stranger))
		}
	}
	for name, plant := range cases {
		parent := openPlace(t, "localpg-planted-")
		dir := filepath.Join(parent, "server")
		must(t, errors.Join(os.Chmod(parent, 0o711), os.Mkdir(dir, 0o711), plant(dir)))
		if home, err := openFolder(dir, who, false); err == nil {
			_ = home.root.Close()
			t.Errorf("%s: it is used", name)
		} else if !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: the error does not say where: %v", name, err)
		}
	}
}

func TestAccountMustReachTheFolder(t *testing.T) {
	t.Parallel()
	closed := filepath.Join(t.TempDir(), "closed")
	inside := filepath.Join(closed, "inside")
	must(t, errors.Join(os.MkdirAll(inside, 0o755), os.Chmod(closed, 0o700)))
	stranger := account{name: "stranger", lent: &syscall.Credential{Uid: 4_000_000_001, Gid: 4_000_000_001}}
	err := stranger.checkReachable(inside)
	errorIf(t, err == nil || !strings.Contains(err.Error(), "cannot enter "+closed+" "), "error %v does not name %s", err, closed)
	err = (account{name: "this user"}).checkReachable(inside)
	errorIf(t, err != nil, "our own account: %v", err)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(tb testing.TB, wrong bool, format string, args ...any) {
	tb.Helper()
	if wrong {
		tb.Errorf(format, args...)
	}
}
