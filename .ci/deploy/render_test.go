package deploy_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
)

// write makes the tests write what is made of other files, instead of comparing it.
var write = flag.Bool("write", false, "write the manifests and the chart's copy of the rules")

const (
	chartDir     = "../../deploy/chart"
	manifestsDir = "../../deploy/manifests"
	releaseName  = "sluice"
	namespace    = "warehouse"
)

// profile is one way to install the chart.
type profile struct {
	name   string
	size   string
	values map[string]any
}

// values are nested maps as YAML has them.
type values = map[string]any

// profiles are all sizes in both modes, by each way to migrate, without and with everything that can
// be turned on.
func profiles(t *testing.T) []profile {
	t.Helper()
	var all []profile
	for _, size := range []string{"small", "medium", "large"} {
		for _, mode := range []string{"serve", "batch"} {
			for _, by := range []string{"job", "init", "none"} {
				name := strings.Join([]string{size, mode, by}, "-")
				bare := merge(required(t, "config.yaml"), values{"mode": mode, "migrate": values{"by": by}})
				full := merge(bare, everything(), values{"config": example(t, "receiver.yaml")})
				all = append(all, profile{name: name, size: size, values: bare}, profile{name: name + "-full", size: size, values: full})
			}
		}
	}
	return all
}

// required are the values without which the chart refuses to render.
func required(t *testing.T, config string) values {
	t.Helper()
	return values{"config": example(t, config), "secrets": values{"existingSecret": "sluice-secrets"}}
}

// everything turns on all that can be turned on.
func everything() values {
	return values{
		"image":            values{"repository": "images.example.com/sluice", "digest": "sha256:" + strings.Repeat("ab", 32)},
		"imagePullSecrets": []any{values{"name": "images"}},
		"env":              []any{values{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}},
		"batch":            values{"timeZone": "Asia/Kolkata"},
		"migrate":          values{"existingSecret": "sluice-owner", "worker": "sluice_worker"},
		"receiver": values{
			"enabled": true, "existingSecret": "sluice-receiver",
			"service": values{"annotations": values{"a": "b"}},
			"ingress": values{
				"enabled": true, "className": "nginx", "host": "hooks.example.com", "tlsSecret": "hooks-example-com-tls",
				"annotations": values{"nginx.ingress.kubernetes.io/proxy-body-size": "256k"},
			},
		},
		"console": values{
			"enabled": true, "existingSecret": "sluice-console", "service": values{"enabled": true, "annotations": values{"a": "b"}},
		},
		"networkPolicy": values{
			"consoleFrom":   []any{values{"namespaceSelector": values{"matchLabels": values{"kubernetes.io/metadata.name": "ingress"}}}},
			"providerTo":    []any{values{"ipBlock": values{"cidr": "10.0.9.0/24"}}},
			"metricsFrom":   []any{values{"namespaceSelector": values{"matchLabels": values{"kubernetes.io/metadata.name": "monitoring"}}}},
			"callbacksFrom": []any{values{"namespaceSelector": values{"matchLabels": values{"kubernetes.io/metadata.name": "ingress"}}}},
			"database":      values{"port": 6432, "to": []any{values{"ipBlock": values{"cidr": "10.0.8.0/24"}}}},
		},
		"serviceAccount": values{"annotations": values{"a": "b"}},
		"serviceMonitor": values{"enabled": true, "labels": values{"release": "prometheus"}},
		"prometheusRule": values{"enabled": true, "labels": values{"release": "prometheus"}},
		"podAnnotations": values{"a": "b"}, "podLabels": values{"team": "data"}, "nodeSelector": values{"kubernetes.io/os": "linux"},
		"tolerations": []any{values{"key": "dedicated", "operator": "Exists"}}, "priorityClassName": "batch",
		"affinity": values{"nodeAffinity": values{"requiredDuringSchedulingIgnoredDuringExecution": values{"nodeSelectorTerms": []any{
			values{"matchExpressions": []any{values{"key": "zone", "operator": "Exists"}}},
		}}}},
	}
}

// merge lays later values over earlier ones.
func merge(layers ...values) values {
	merged := values{}
	for _, layer := range layers {
		for key, value := range layer {
			below, isMap := merged[key].(values)
			if above, ok := value.(values); ok && isMap {
				value = merge(below, above)
			}
			merged[key] = value
		}
	}
	return merged
}

// example is the text of a configuration beside the chart.
func example(t *testing.T, name string) string {
	t.Helper()
	return read(t, filepath.Join(chartDir, "examples", name))
}

func read(t *testing.T, name string) string {
	t.Helper()
	text := sure(os.ReadFile(name))(t)
	return string(text)
}

// load reads the chart.
func load(t *testing.T) *chart.Chart {
	t.Helper()
	loaded := sure(loader.LoadDir(chartDir))(t)
	must(t, loaded.Validate())
	return loaded
}

// size reads the values of a size.
func size(t *testing.T, name string) values {
	t.Helper()
	given := sure(chartutil.ReadValuesFile(filepath.Join(chartDir, "values-"+name+".yaml")))(t)
	return given
}

// render returns the documents of the chart by template, as helm install renders them: values are
// checked by values.schema.json first. service is the name of the tool that installs.
func render(loaded *chart.Chart, given values, service string) (map[string][]string, error) {
	options := chartutil.ReleaseOptions{Name: releaseName, Namespace: namespace, Revision: 1, IsInstall: true}
	top, err := chartutil.ToRenderValues(loaded, given, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, fmt.Errorf("values: %w", err)
	}
	release, ok := top["Release"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the values have no release: %v", top["Release"])
	}
	release["Service"] = service
	files, err := engine.Engine{Strict: true}.Render(loaded, top)
	if err != nil {
		return nil, fmt.Errorf("templates: %w", err)
	}
	documents := map[string][]string{}
	for name, text := range files {
		if path.Ext(name) != ".yaml" {
			documents[path.Base(name)] = []string{text}
			continue
		}
		for _, document := range separator.Split(text, -1) {
			if strings.TrimSpace(comment.ReplaceAllString(document, "")) != "" {
				documents[path.Base(name)] = append(documents[path.Base(name)], document)
			}
		}
	}
	return documents, nil
}

var (
	separator = regexp.MustCompile(`(?m)^---\s*$`)
	comment   = regexp.MustCompile(`(?m)^\s*#.*$`)
)

// objects returns the documents of all templates, decoded, in the order of their names.
func objects(t *testing.T, documents map[string][]string) []object {
	t.Helper()
	var all []object
	for _, name := range slices.Sorted(maps.Keys(documents)) {
		if path.Ext(name) != ".yaml" {
			continue
		}
		for _, text := range documents[name] {
			decoded, err := decode(text)
			if err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
				continue
			}
			all = append(all, decoded)
		}
	}
	return all
}

// equal compares two values; where says what they are.
func equal[T comparable](t *testing.T, got, want T, where ...any) {
	t.Helper()
	errorIf(t, got != want, "%v: got %v, want %v", where, got, want)
}
