package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestInitAsks: on a terminal, init asks what no flag says, asks again after an answer that does
// not fit, and takes defaults for empty answers.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	person, program := terminal(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	var stdout, stderr buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Main(t.Context(), []string{"--config", path, "init", "--vendor", "Svc", "--id", "twelve", "--chat-url", "https://chat.example.com"}, Env{
			Stdin: program, Stdout: &stdout, Stderr: &stderr, LookupEnv: func(string) (string, bool) { return "", false }, ReadFile: os.ReadFile, Now: time.Now,
		})
	}()
	for _, line := range []string{
		"", "North Trading", // a name is needed
		"12x", "12",
		"moon", "eu",
		"accounting", "accounting=gold", "accounting=standard, chat=free,billing=paid",
		"http://api.example.com", "https://api.example.com/",
		"https://auth.example.com",
		"1000.CLIENT",
		"secrets", "/run/secrets",
		"postgres://u:" + "visible@db/x", "${WAREHOUSE}",
	} {
		sure(person.WriteString(line + "\n"))(t)
	}
	code := <-ended
	fatalIf(t, code != codeFine, "exit code %d\n%s%s", code, stdout.String(), stderr.String())
	for _, want := range []string{
		"--id wants the digits of organization_id", "it is missing", `there is no data center "moon"`, `accounting has no plan "gold"`,
		"sends tokens in clear", "wants env, or the absolute path", "a password is not written into the file",
	} {
		errorIf(t, !strings.Contains(stderr.String(), want), "the person is not told %q:\n%s", want, stderr.String())
	}
	errorIf(t, strings.Contains(stderr.String()+stdout.String(), "visible"), "the password is shown:\n%s", stderr.String())
	made := loaded(t, path, map[string]string{"WAREHOUSE": "postgres://u@db.example.com/x"})
	o := made.Organizations[0]
	if o.Name != "North Trading" || o.ID != "12" || o.DataCenter != "eu" || o.Credentials.ClientID != "1000.CLIENT" ||
		o.Credentials.RefreshTokenFrom != "file:/run/secrets/north_trading_refresh_token" || made.Database.URL.Reveal() != "postgres://u@db.example.com/x" ||
		o.Services["accounting"].Plan != "standard" || o.Services["billing"].Plan != "paid" || len(o.Services) != 3 ||
		made.Vendor.APIURL != "https://api.example.com" || made.Vendor.ChatURL != "https://chat.example.com" {
		t.Errorf("%+v", made)
	}
	errorIf(t, !strings.Contains(stdout.String(), "sluice authorize 'North Trading'"), "the next commands:\n%s", stdout.String())
}

// TestInitInterrupted: a person who leaves in the middle leaves no file.
func TestInitInterrupted(t *testing.T) {
	t.Parallel()
	person, program := terminal(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	var out buffer
	_, err := person.WriteString("acme\n\x04") // the end of the input, as Ctrl-D types it
	must(t, err)
	code := Main(t.Context(), []string{"--config", path, "init"}, Env{
		Stdin: program, Stdout: &out, Stderr: &out, LookupEnv: os.LookupEnv, ReadFile: os.ReadFile, Now: time.Now,
	})
	if _, err := os.Stat(path); code != codeUsage || !os.IsNotExist(err) || !strings.Contains(out.String(), "nothing was written") {
		t.Errorf("exit code %d, %v\n%s", code, err, out.String())
	}
}

// terminal opens a pseudo-terminal: what a person types goes into the first file, and the program
// reads and writes the second. It does not show what is typed.
func terminal(t *testing.T) (*os.File, *os.File) {
	t.Helper()
	person := sure(os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0))(t)
	t.Cleanup(func() { _ = person.Close() })
	connection := int(person.Fd())
	must(t, unix.IoctlSetPointerInt(connection, unix.TIOCSPTLCK, 0))
	number := sure(unix.IoctlGetInt(connection, unix.TIOCGPTN))(t)
	program := sure(os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0))(t)
	t.Cleanup(func() { _ = program.Close() })
	mode := sure(unix.IoctlGetTermios(int(program.Fd()), unix.TCGETS))(t)
	mode.Lflag &^= unix.ECHO
	must(t, unix.IoctlSetTermios(int(program.Fd()), unix.TCSETS, mode))
	return person, program
}
