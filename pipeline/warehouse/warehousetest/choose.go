package warehousetest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"sluice/cmd/sluice-sandbox/local"
)

const (
	defaultImage  = "postgres:15-alpine"
	containerPort = "5432/tcp"
	// firstAnswer bounds how long a registry may stay silent: some networks drop the request.
	firstAnswer = 10 * time.Second
	// pullLimit bounds a download that has begun.
	pullLimit = 5 * time.Minute
)

// choose finds a server in the order that the package comment gives.
func choose(ctx context.Context) (server, error) {
	switch mode := os.Getenv("SLUICE_TEST_POSTGRES"); mode {
	case "container":
		return startContainer(ctx)
	case "local":
		return startLocal(ctx)
	case "", "auto":
		if given := os.Getenv("SLUICE_TEST_DATABASE_URL"); given != "" {
			return useGiven(ctx, given)
		}
		found, errContainer := startContainer(ctx)
		if errContainer == nil {
			return found, nil
		}
		found, err := startLocal(ctx)
		if err != nil {
			return server{}, fmt.Errorf("%w; or start a container engine: %w; or name a server in SLUICE_TEST_DATABASE_URL", err, errContainer)
		}
		return found, nil
	default:
		return server{}, fmt.Errorf("SLUICE_TEST_POSTGRES is %q: it must be container, local or auto", mode)
	}
}

// useGiven checks that the server answers. Its URL holds a password, so no error may quote it.
func useGiven(ctx context.Context, given string) (server, error) {
	u, err := url.Parse(given)
	if err != nil || (u.Scheme != "postgres" && u.Scheme != "postgresql") {
		return server{}, errors.New("SLUICE_TEST_DATABASE_URL must have the form postgres://user:password@host:port/database")
	}
	if err := execute(ctx, given, "select 1"); err != nil {
		return server{}, fmt.Errorf("the server of SLUICE_TEST_DATABASE_URL: %w", err)
	}
	return server{admin: given}, nil
}

// startLocal starts a server with this machine's binaries.
func startLocal(ctx context.Context) (server, error) {
	started, err := local.Start(ctx, local.Options{InMemory: true})
	if err != nil {
		return server{}, err
	}
	return server{admin: started.URL(), stop: started.Stop}, nil
}

// startContainer starts a server in a container.
func startContainer(ctx context.Context) (_ server, err error) {
	defer func() {
		// The library panics in some environments without an engine, instead of returning an error.
		if r := recover(); r != nil {
			err = fmt.Errorf("container engine: %v", r)
		}
	}()
	log.SetDefault(silent{})
	image := cmp.Or(os.Getenv("SLUICE_TEST_POSTGRES_IMAGE"), defaultImage)
	if err := haveImage(ctx, image); err != nil {
		return server{}, err
	}
	const user, password = "postgres", "postgres"
	container, err := testcontainers.Run(ctx, image,
		testcontainers.WithEnv(map[string]string{"POSTGRES_USER": user, "POSTGRES_PASSWORD": password}),
		testcontainers.WithExposedPorts(containerPort),
		testcontainers.WithTmpfs(map[string]string{"/var/lib/postgresql/data": "rw"}), // some engines' disks are slow
		testcontainers.WithCmd("postgres", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "synchronous_commit=off",
			"-c", "max_connections=800", "-c", "dynamic_shared_memory_type=mmap"), // an engine gives /dev/shm only 64 MB
	)
	stop := func(context.Context) error {
		// An orderly end would take ten seconds, and the server holds nothing of value.
		return testcontainers.TerminateContainer(container, testcontainers.StopTimeout(0))
	}
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("container of %s: %w", image, err), stop(ctx))
	}
	admin, err := waitFor(ctx, container, func(host, port string) string {
		u := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Host: net.JoinHostPort(host, port), Path: "/postgres"}
		u.RawQuery = "sslmode=disable"
		return u.String()
	})
	if err != nil {
		return server{}, errors.Join(fmt.Errorf("container of %s: %w\n%s", image, err, containerLog(ctx, container)), stop(ctx))
	}
	return server{admin: admin, stop: stop}, nil
}

// haveImage returns nil if the engine answers and has the image, after pulling it if need be.
func haveImage(ctx context.Context, image string) error {
	provider, err := testcontainers.NewDockerProvider()
	if err != nil {
		return fmt.Errorf("no container engine: %w", err)
	}
	defer func() { _ = provider.Close() }()
	engine := provider.Client()
	if _, err := engine.Ping(ctx, client.PingOptions{}); err != nil {
		return fmt.Errorf("no container engine answers: %w", err)
	}
	if _, err := engine.ImageInspect(ctx, image); err == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(firstAnswer, cancel)
	defer silence.Stop()
	pull, err := engine.ImagePull(ctx, image, client.ImagePullOptions{})
	if err != nil {
		return fmt.Errorf("pulling image %s: %w", image, err)
	}
	defer func() { _ = pull.Close() }()
	progress := bufio.NewReader(pull)
	if _, err := progress.Peek(1); err != nil {
		return fmt.Errorf("pulling image %s: the registry does not answer: %w", image, err)
	}
	silence.Stop()
	if _, err := io.Copy(io.Discard, progress); err != nil {
		return fmt.Errorf("pulling image %s: %w", image, err)
	}
	if _, err := engine.ImageInspect(ctx, image); err != nil {
		return fmt.Errorf("pulling image %s did not bring it: %w", image, err)
	}
	return nil
}

// waitFor returns the address at which the server accepts connections. The usual images start a
// first server, to set themselves up, that does not listen on TCP, and then a second. Some engines
// accept connections at the port before the server inside listens. So only a session counts.
func waitFor(ctx context.Context, container testcontainers.Container, address func(host, port string) string) (string, error) {
	const every, each = 50 * time.Millisecond, 2 * time.Second
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	host, errHost := container.Host(ctx)
	port, errPort := container.MappedPort(ctx, containerPort)
	if err := errors.Join(errHost, errPort); err != nil {
		return "", fmt.Errorf("finding its port: %w", err)
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		var failures []error
		// The library's guess is wrong where this machine looks like a container but has an engine
		// of its own.
		for _, candidate := range []string{"localhost", host} {
			admin := address(candidate, port.Port())
			attempt, done := context.WithTimeout(ctx, each)
			err := execute(attempt, admin, "select 1")
			done()
			if err == nil {
				return admin, nil
			}
			failures = append(failures, err)
		}
		if state, err := container.State(ctx); err == nil && !state.Running {
			return "", fmt.Errorf("it has ended with exit code %d", state.ExitCode)
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("postgres does not accept connections: %w", errors.Join(failures...))
		case <-tick.C:
		}
	}
}

// containerLog returns the end of the container's log.
func containerLog(ctx context.Context, container testcontainers.Container) string {
	const keep = 4096
	logs, err := container.Logs(ctx)
	if err != nil {
		return "its log cannot be read: " + err.Error()
	}
	defer func() { _ = logs.Close() }()
	text, _ := io.ReadAll(logs) // a part of the log is better than none
	return string(text[max(0, len(text)-keep):])
}

// silent discards the library's log, which would mix with the tests' output.
type silent struct{}

// Printf implements log.Logger.
func (silent) Printf(string, ...any) {}
