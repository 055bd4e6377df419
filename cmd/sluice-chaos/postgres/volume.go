package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// filler is the file that fills the small volume.
const filler = "filler"

// mount makes a volume in memory that belongs to the server's account.
func (p *Server) mount(ctx context.Context, at string, mebibytes int) error {
	owner, err := os.Stat(filepath.Join(p.dir, "data"))
	if err != nil {
		return fmt.Errorf("look at the cluster: %w", err)
	}
	stat, ok := owner.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("this system does not name the owner of a file")
	}
	if err := os.Mkdir(at, 0o700); err != nil {
		return fmt.Errorf("make the mount point: %w", err)
	}
	options := fmt.Sprintf("size=%dm,mode=0700,uid=%d,gid=%d", mebibytes, stat.Uid, stat.Gid)
	cmd := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", options, "tmpfs", at) //nolint:gosec // arguments of ours
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("mount a small volume: %w: %s", err, bytes.TrimSpace(said))
	}
	p.small = at
	return nil
}

// Fillable reports whether there is a volume that can be filled, and returns the reason if not.
func (p *Server) Fillable() (bool, string) { return p.small != "", p.unfillable }

// Fill fills the small volume to the last byte.
func (p *Server) Fill() error {
	file, err := os.OpenFile(filepath.Join(p.small, filler), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("fill the volume: %w", err)
	}
	piece := make([]byte, 1<<20)
	for len(piece) > 0 {
		switch _, err = file.Write(piece); {
		case errors.Is(err, syscall.ENOSPC):
			piece = piece[:len(piece)/2]
		case err != nil:
			return errors.Join(fmt.Errorf("fill the volume: %w", err), file.Close())
		}
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("fill the volume: %w", err)
	}
	return nil
}

// Free frees the space that Fill took.
func (p *Server) Free() error {
	if err := os.Remove(filepath.Join(p.small, filler)); err != nil {
		return fmt.Errorf("free the volume: %w", err)
	}
	return nil
}
