package migrations

// Lock is the lock by which Migrate and Execute wait for each other.
//
//nolint:gochecknoglobals // tests wait for less long
var Lock = lock
