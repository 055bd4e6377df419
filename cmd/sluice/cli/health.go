package cli

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"
)

func (c *cli) healthCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Ask a running serve whether it is healthy (for container health checks)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return askHealth(cmd.Context(), listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:9464", "address that serve listens on")
	return cmd
}

func askHealth(ctx context.Context, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return usage("--listen %q is no host:port: %w", listen, err)
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("ask for health: %w", err)
	}
	answer, err := (&http.Client{}).Do(request)
	if err != nil {
		return fmt.Errorf("ask for health: %w: %w", errEnvironment, err)
	}
	defer func() { _ = answer.Body.Close() }() // only the status matters
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("serve says %s", answer.Status)
	}
	return nil
}
