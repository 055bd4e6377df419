package deploy_test

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/strvals"
	networking "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

const (
	root     = "../.."
	handbook = root + "/docs/operations/kubernetes.md"
)

var (
	fenced = regexp.MustCompile("(?ms)^ *```(\\w+)[^\n]*\n(.*?)^ *```$")
	span   = regexp.MustCompile("`([^`]+)`")
	named  = regexp.MustCompile(`^(deployment|job|cronjob|service)/([a-z-]+)$`)
	mounts = regexp.MustCompile(`file:/run/secrets/(\w+)`)
)

// page is what the handbook tells an operator to write and to type.
type page struct {
	// values are the texts of YAML, in their order; the first is the operator's values.yaml.
	values []values
	// helm and kubectl are commands as words, options are further ones of helm.
	helm, kubectl, options [][]string
}

func open(t *testing.T) page {
	t.Helper()
	text := read(t, handbook)
	var p page
	var lines []string
	for _, block := range fenced.FindAllStringSubmatch(text, -1) {
		if block[1] != "yaml" {
			lines = append(lines, strings.Split(strings.ReplaceAll(block[2], "\\\n", " "), "\n")...)
			continue
		}
		var given values
		if err := yaml.UnmarshalStrict([]byte(block[2]), &given); err != nil {
			t.Fatalf("%v in\n%s", err, block[2])
		}
		p.values = append(p.values, given)
	}
	for _, found := range span.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		lines = append(lines, found[1])
	}
	for _, line := range lines {
		switch words := strings.Fields(line); {
		case len(words) < 2:
		case words[0] == "helm" && words[1] != "lint" && words[1] != "template": // those of the section on tries are no commands to type
			p.helm = append(p.helm, words[1:])
		case words[0] == "kubectl":
			p.kubectl = append(p.kubectl, words[1:])
		case strings.HasPrefix(words[0], "--"):
			p.options = append(p.options, words)
		}
	}
	fatalIf(t, len(p.values) < 3 || len(p.helm) == 0 || len(p.kubectl) < 8 || len(p.options) < 2,
		"the page has fewer commands than it had: %+v", p)
	return p
}

// install reads the words of a helm command as helm does, and renders the chart with its values.
// The operator's config.yaml is one of the examples.
func (p page) install(t *testing.T, words []string, config string) ([]object, error) {
	t.Helper()
	given, plain := values{}, []string{}
	for len(words) > 0 {
		word, value := words[0], ""
		words = words[1:]
		if strings.HasPrefix(word, "-") && word != "--install" {
			fatalIf(t, len(words) == 0, "%s without a value", word)
			// A plan's id may have no letter.
			value, words = strings.ReplaceAll(words[0], "PLAN", "1234567890"), words[1:]
		}
		var err error
		switch {
		case word == "-n":
			equal(t, value, namespace, "namespace")
		case word == "-f" && value == "values.yaml":
			given = merge(given, p.values[0])
		case word == "-f":
			var layer values
			err = yaml.Unmarshal([]byte(read(t, filepath.Join(root, value))), &layer)
			given = merge(given, layer)
		case word == "--set":
			err = strvals.ParseInto(value, given)
		case word == "--set-string":
			err = strvals.ParseIntoString(value, given)
		case word == "--set-file":
			err = strvals.ParseIntoFile(value, given, func(file []rune) (any, error) { return example(t, string(file)), nil })
			given["config"] = cmp.Or(config, given["config"].(string))
		case word == "--timeout", word == "--install":
		case strings.HasPrefix(word, "-"):
			t.Errorf("this test does not know %s", word)
		default:
			plain = append(plain, word)
		}
		errorIf(t, err != nil, "%s %s: %v", word, value, err)
	}
	errorIf(t, !slices.Equal(plain, []string{"upgrade", releaseName, "deploy/chart"}), "helm %q", plain)
	documents, err := render(load(t), given, "Helm")
	if err != nil {
		return nil, err
	}
	return objects(t, documents), nil
}

// TestHandbook follows docs/operations/kubernetes.md: the chart takes the values that it shows, the
// objects that it names exist, and it makes each Secret that they need, with each file that the
// configuration names.
func TestHandbook(t *testing.T) {
	t.Parallel()
	p := open(t)
	var all []object
	for _, words := range p.helm {
		for _, further := range append([][]string{nil}, p.options...) {
			made, err := p.install(t, slices.Concat(words, further), "")
			errorIf(t, err != nil, "helm %q: %v", slices.Concat(words, further), err)
			all = append(all, made...)
		}
	}
	for _, given := range p.values[1:] {
		p := page{values: []values{merge(p.values[0], given)}}
		made, err := p.install(t, []string{"upgrade", releaseName, "deploy/chart", "-f", "values.yaml", "--set-file", "config=config.yaml"},
			example(t, "receiver.yaml"))
		errorIf(t, err != nil, "%v: %v", given, err)
		all = append(all, made...)
	}
	all = append(all, build(t, filepath.Join(manifestsDir, "example"))...)

	secrets := p.commands(t, all)
	for name, by := range needed(all) {
		errorIf(t, secrets[name] == nil, "%s needs the Secret %s, and no line makes it", by, name)
	}
	// Each line that makes a Secret, in the order of the page.
	made := slices.Concat(secrets["sluice-secrets"], secrets["sluice-receiver"])
	want := [][]string{
		append(files(example(t, "config.yaml")), "encryption_key"),
		append(files(example(t, "receiver.yaml")), "encryption_key"),
		{"database_url", "acme_hook_secret"},
	}
	errorIf(t, !slices.EqualFunc(made, want, sameWords), "the Secrets have the keys %q, want %q", made, want)
	if names := files(read(t, filepath.Join(manifestsDir, "example/config.yaml"))); !sameWords(names, files(example(t, "receiver.yaml"))) {
		t.Errorf("the example names the files %q, which are not those of the chart's", names)
	}
}

// files are those below /run/secrets that a configuration names.
func files(config string) []string {
	var names []string
	for _, found := range mounts.FindAllStringSubmatch(config, -1) {
		names = append(names, found[1])
	}
	return names
}

func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// commands holds the lines of kubectl against the objects, and gives the Secrets that they make,
// each with the keys of each line.
func (p page) commands(t *testing.T, all []object) map[string][][]string {
	t.Helper()
	known := map[string]bool{}
	for _, o := range all {
		known[strings.ToLower(o.Kind)+"/"+o.Name] = true
	}
	secrets := map[string][][]string{}
	for _, words := range p.kubectl {
		line := strings.Join(words, " ")
		inside := slices.Index(words, "-n")
		errorIf(t, inside >= 0 && words[inside+1] != namespace, "kubectl %s: another namespace than %s", line, namespace)
		for _, word := range words {
			errorIf(t, named.MatchString(word) && !known[word], "kubectl %s: %s is not rendered", line, word)
		}
		if folder := slices.Index(words, "-k"); folder >= 0 && folder+1 < len(words) {
			_, err := os.Stat(filepath.Join(root, words[folder+1], "kustomization.yaml"))
			errorIf(t, err != nil, "kubectl %s: %v", line, err)
		}
		if at := slices.Index(words, "secret"); at >= 0 {
			var keys []string
			for _, word := range words[at+3:] {
				if source, ok := strings.CutPrefix(word, "--from-file="); ok {
					key, _, _ := strings.Cut(source, "=")
					keys = append(keys, key)
				}
			}
			secrets[words[at+2]] = append(secrets[words[at+2]], keys)
		}
	}
	return secrets
}

// needed are the Secrets that objects refer to, each with one of these objects.
func needed(all []object) map[string]object {
	by := map[string]object{}
	for _, o := range all {
		if template := o.pod(); template != nil {
			for _, v := range template.Spec.Volumes {
				if v.Secret != nil {
					by[v.Secret.SecretName] = o
				}
			}
		}
		if typed, ok := o.typed.(*networking.Ingress); ok {
			for _, tls := range typed.Spec.TLS {
				by[tls.SecretName] = o
			}
		}
	}
	return by
}
