package migrations

// Lock is how Migrate and Execute wait for each other.
//
//nolint:gochecknoglobals // tests wait for less long
var Lock = lock
