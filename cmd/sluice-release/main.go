// Command sluice-release makes what a release consists of, into one folder: for each platform an
// archive with the program, its manual pages, completions and units; packages for Debian and Red
// Hat; a list of what each program is made of (SBOM); and the checksums of all of it.
//
// It makes everything twice, from two copies of the sources in different folders and with caches of
// their own, and refuses a release whose files differ. It never publishes anything.
//
// Start reading at release.go. `sluice-release licenses` prints the licenses of the modules that
// the program is made of; `sluice-release manual DIR` writes manual pages and completions only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Exit codes, as those of the program.
const (
	codeFailed = 1
	codeUsage  = 2
)

const usage = `usage: sluice-release [FLAGS]        make a release
       sluice-release licenses       print the licenses of what the program is made of
       sluice-release manual DIR     write manual pages and completions
`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run runs one command line in the module's folder and gives its exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	err := dispatch(ctx, args, out, errs)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, flag.ErrHelp):
		return codeUsage
	case errors.Is(err, errUsage):
		fmt.Fprintf(errs, "sluice-release: %v\n%s", err, usage)
		return codeUsage
	}
	fmt.Fprintf(errs, "sluice-release: %v\n", err)
	return codeFailed
}

var errUsage = errors.New("the command line is wrong")

func dispatch(ctx context.Context, args []string, out, errs io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "licenses":
		return writeLicenses(ctx, out)
	case len(args) == 2 && args[0] == "manual":
		return writeManual(args[1], "", time.Unix(0, 0).UTC()) //nolint:contextcheck // none of the commands runs
	}
	flags := flag.NewFlagSet("sluice-release", flag.ContinueOnError)
	flags.SetOutput(errs)
	var r release
	var names string
	flags.StringVar(&r.out, "out", "dist", "folder of the release; what it held before goes")
	flags.StringVar(&names, "platforms", "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64", "platforms, separated by spaces")
	flags.StringVar(&r.version, "version", "", "version (default: the tag vX.Y.Z of the commit, else 0.0.0-dev+REVISION)")
	flags.StringVar(&r.nfpm, "nfpm", "", "program nfpm, which makes packages; without it there are none")
	flags.BoolVar(&r.quick, "quick", false, "make both copies with one cache: quicker, and proves less")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%w: what is %q?", errUsage, flags.Arg(0))
	}
	var err error
	if r.platforms, err = parsePlatforms(names); err != nil {
		return err
	}
	if err := r.stamp(ctx); err != nil {
		return err
	}
	return r.make(ctx, out)
}

// parsePlatforms reads platforms such as linux/amd64.
func parsePlatforms(names string) ([]platform, error) {
	var platforms []platform
	for name := range strings.FieldsSeq(names) {
		system, architecture, found := strings.Cut(name, "/")
		if !found || system == "" || architecture == "" {
			return nil, fmt.Errorf("%w: the platform %q is not written as linux/amd64", errUsage, name)
		}
		platforms = append(platforms, platform{system, architecture})
	}
	if len(platforms) == 0 {
		return nil, fmt.Errorf("%w: -platforms names none", errUsage)
	}
	return platforms, nil
}
