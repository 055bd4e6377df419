package deploy_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// header stands above each made file.
const header = "# Made of deploy/chart by \"make manifests\": do not edit.\n"

// TestManifests compares deploy/manifests with what the chart renders, file by file; with -write it
// writes them. kustomize has no hooks: an init container migrates.
func TestManifests(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for dir, given := range map[string]values{
		"serve": {"mode": "serve"},
		"batch": {"mode": "batch"},
		"receiver": {
			"receiver": values{
				"enabled": true, "existingSecret": "sluice-receiver",
				"ingress": values{"enabled": true, "host": "hooks.example.com", "tlsSecret": "hooks-example-com-tls"},
			},
		},
	} {
		given = merge(size(t, "small"), required(t, "config.yaml"), values{"migrate": values{"by": "init"}}, given)
		documents := sure(render(load(t), given, "kustomize"))(t)
		var files []string
		for _, o := range objects(t, documents) {
			// The folder receiver is added to one of the others, which have the rest.
			if dir == "receiver" && !strings.HasSuffix(o.Name, "-receiver") {
				continue
			}
			// kustomize makes the ConfigMap, with a hash of its text in the name.
			if typed, ok := o.typed.(*core.ConfigMap); ok {
				want[filepath.Join(dir, "config.yaml")] = header + typed.Data["config.yaml"]
				continue
			}
			file := strings.ToLower(o.Kind) + ".yaml"
			want[filepath.Join(dir, file)] = plain(t, documents, o)
			files = append(files, file)
		}
		want[filepath.Join(dir, "kustomization.yaml")] = kustomization(t, dir, files)
	}
	want["kustomization.yaml"] = kustomization(t, "", []string{"serve"})
	compare(t, manifestsDir, want)
}

// plain is an object without what only Helm uses.
func plain(t *testing.T, documents map[string][]string, wanted object) string {
	t.Helper()
	for _, texts := range documents {
		for _, text := range texts {
			var found map[string]any
			if err := yaml.Unmarshal([]byte(text), &found); err != nil {
				continue // the notes
			}
			metadata, _ := found["metadata"].(map[string]any)
			if found["kind"] != wanted.Kind || metadata["name"] != wanted.Name {
				continue
			}
			withoutHelm(found)
			made := sure(yaml.Marshal(found))(t)
			return header + string(made)
		}
	}
	t.Fatalf("%s was not rendered", wanted)
	return ""
}

// withoutHelm removes labels about Helm, and checksums instead of which names have a hash, wherever
// they are.
func withoutHelm(value any) {
	switch value := value.(type) {
	case map[string]any:
		maps.DeleteFunc(value, func(key string, _ any) bool {
			return strings.HasPrefix(key, "helm.sh/") || strings.HasPrefix(key, "checksum/")
		})
		for key, below := range value {
			withoutHelm(below)
			if left, ok := below.(map[string]any); ok && key == "annotations" && len(left) == 0 {
				delete(value, key)
			}
		}
	case []any:
		for _, below := range value {
			withoutHelm(below)
		}
	}
}

// kustomization lists the files of a folder. The receiver is a component: it goes into the others.
func kustomization(t *testing.T, dir string, files []string) string {
	t.Helper()
	slices.Sort(files)
	made := map[string]any{"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": files}
	switch dir {
	case "receiver":
		made["apiVersion"], made["kind"] = "kustomize.config.k8s.io/v1alpha1", "Component"
	case "serve", "batch":
		made["configMapGenerator"] = []any{values{"name": "sluice-config", "files": []string{"config.yaml"}}}
	}
	text := sure(yaml.Marshal(made))(t)
	return header + string(text)
}

// compare compares made files with those of a folder; the folder example is written by hand.
func compare(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if *write {
		for _, made := range []string{"serve", "batch", "receiver"} {
			must(t, os.RemoveAll(filepath.Join(dir, made)))
		}
		for name, text := range want {
			file := filepath.Join(dir, name)
			must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)))
		}
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(name, "example/") {
			return err
		}
		equal(t, want[name], read(t, filepath.Join(dir, name)), name)
		delete(want, name)
		return nil
	})
	must(t, err)
	for name := range want {
		t.Errorf("deploy/manifests/%s is missing: run make manifests", name)
	}
}

// TestRules: the rules of the chart are those of deploy/prometheus; with -write it copies them. A
// chart cannot read a file outside of its folder.
func TestRules(t *testing.T) {
	t.Parallel()
	const source, copied = "../../deploy/prometheus/sluice.rules.yaml", chartDir + "/files/sluice.rules.yaml"
	if *write {
		must(t, os.WriteFile(copied, []byte(read(t, source)), 0o644))
	}
	errorIf(t, read(t, source) != read(t, copied),
		"deploy/chart/files/sluice.rules.yaml is not deploy/prometheus/sluice.rules.yaml: run make manifests")
}

// build builds a folder as kubectl apply -k does.
func build(t *testing.T, dir string) []object {
	t.Helper()
	built := sure(krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir))(t)
	text := sure(built.AsYaml())(t)
	var all []object
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		decoded, err := decode(string(document))
		if err != nil {
			t.Errorf("%s: %v\n%s", dir, err, document)
			continue
		}
		all = append(all, decoded)
	}
	return all
}

// TestKustomize builds each folder: the documents fit their types, and pods are safe.
func TestKustomize(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]int{"": 6, "serve": 6, "batch": 4, "example": 11} {
		all := build(t, filepath.Join(manifestsDir, dir))
		equal(t, len(all), want, dir, all)
		agrees(t, all)
	}
}

// TestExample: the operator's own folder brings configuration, image, size and namespace, and
// another configuration makes other pods.
func TestExample(t *testing.T) {
	t.Parallel()
	configMap, deployments := "", 0
	all := build(t, filepath.Join(manifestsDir, "example"))
	for _, o := range all {
		equal(t, o.Namespace, "warehouse", o)
		if typed, ok := o.typed.(*core.ConfigMap); ok {
			configMap = o.Name
			equal(t, typed.Data["config.yaml"], read(t, filepath.Join(manifestsDir, "example/config.yaml")), typed.Data)
		}
	}
	fatalIf(t, len(configMap) <= len("sluice-config-"),
		"the ConfigMap is %q: without a hash in its name, pods keep the old configuration", configMap)
	for _, o := range all {
		typed, ok := o.typed.(*apps.Deployment)
		if !ok {
			continue
		}
		deployments++
		for _, v := range typed.Spec.Template.Spec.Volumes {
			if v.ConfigMap != nil && v.ConfigMap.Name != configMap {
				t.Errorf("%s reads ConfigMap %s and not %s", o, v.ConfigMap.Name, configMap)
			}
		}
		for _, c := range slices.Concat(typed.Spec.Template.Spec.InitContainers, typed.Spec.Template.Spec.Containers) {
			equal(t, c.Image, "images.example.com/sluice:0.1.0", o, c.Name)
		}
		if o.Name == "sluice" && *typed.Spec.Replicas != 2 {
			t.Errorf("%s has %d replicas", o, *typed.Spec.Replicas)
		}
	}
	equal(t, deployments, 2, "Deployments")
}
