package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// packages makes the packages for Debian and Red Hat out of a platform's folder.
// deploy/packages/nfpm.yaml says what is in them.
func (r *release) packages(ctx context.Context, folder, dist string, on platform) error {
	nfpm, err := filepath.Abs(r.nfpm)
	if err != nil {
		return err
	}
	if err := errors.Join(copyAll(filepath.Join(folder, "packages"), filepath.FromSlash("deploy/packages")), age(folder, r.at)); err != nil {
		return err
	}
	for _, kind := range []string{"deb", "rpm"} {
		cmd := exec.CommandContext(ctx, nfpm, "package", "--config", "packages/nfpm.yaml", "--packager", kind, "--target", dist)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "VERSION="+r.version, "ARCH="+on.architecture, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.at.Unix()))
		if said, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("making the %s for %s: %w\n%s", kind, on.architecture, err, said)
		}
	}
	return nil
}
