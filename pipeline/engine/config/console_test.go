package config_test

import (
	"testing"

	"sluice/pipeline/engine/config"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	for listen, want := range map[string]bool{
		"127.0.0.1:9464": false, "[::1]:9464": false, "localhost:9464": false, "127.8.8.8:1": false,
		"0.0.0.0:9464": true, ":9464": true, "[::]:9464": true, "10.1.2.3:9464": true, "metrics.example:9464": true,
	} {
		if config.Reachable(listen) != want {
			t.Errorf("%s can be reached: %t", listen, !want)
		}
	}
}
