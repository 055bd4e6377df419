package rebuild

// Records takes an archive of raw records apart.
func Records(archive []byte) ([][]byte, error) { return split(archive) }
