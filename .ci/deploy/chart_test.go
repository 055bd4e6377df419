package deploy_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// TestChart renders every profile. Each document fits its type; the release has the objects of its
// mode; pods are safe; selectors, ports, ConfigMaps and accounts exist.
func TestChart(t *testing.T) {
	t.Parallel()
	loaded := load(t)
	for _, p := range profiles(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			documents := sure(render(loaded, merge(size(t, p.size), p.values), "Helm"))(t)
			all := objects(t, documents)
			want := wanted(p.name)
			var got []string
			for _, o := range all {
				got = append(got, o.String())
			}
			slices.Sort(want)
			slices.Sort(got)
			errorIf(t, !slices.Equal(got, want), "objects are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			agrees(t, all)
			notes := documents["NOTES.txt"][0]
			errorIf(t, !strings.Contains(notes, "Secret sluice-secrets") || strings.Contains(notes, "<no value>"), "the notes say\n%s", notes)
		})
	}
}

// wanted names the objects of a profile.
func wanted(profile string) []string {
	words := strings.Split(profile, "-")
	full := slices.Contains(words, "full")
	want := []string{"ConfigMap sluice-config", "ServiceAccount sluice", "NetworkPolicy sluice"}
	if words[1] == "serve" {
		want = append(want, "Deployment sluice", "PodDisruptionBudget sluice")
	} else {
		want = append(want, "CronJob sluice")
	}
	if words[2] == "job" {
		want = append(want, "ConfigMap sluice-migrate", "Job sluice-migrate", "NetworkPolicy sluice-migrate")
	}
	if words[1] == "serve" || full {
		want = append(want, "Service sluice-metrics")
	}
	if full {
		want = append(want, "Deployment sluice-receiver", "PodDisruptionBudget sluice-receiver", "NetworkPolicy sluice-receiver",
			"Service sluice-receiver", "Ingress sluice-receiver", "ServiceMonitor sluice", "PrometheusRule sluice",
			"Deployment sluice-console", "Service sluice-console", "NetworkPolicy sluice-console")
	}
	return want
}

// agrees checks what holds for every set of objects: of the chart, and of the manifests.
func agrees(t *testing.T, all []object) {
	t.Helper()
	names := map[string]bool{}
	for _, o := range all {
		errorIf(t, names[o.String()], "%s exists twice", o)
		names[o.String()] = true
	}
	for _, o := range all {
		if template := o.pod(); template != nil {
			for _, found := range unsafe(&template.Spec) {
				t.Errorf("%s: %s", o, found)
			}
			uses(t, o, template, names)
		}
		selects(t, o, all)
	}
}

// unsafe returns what a pod should not be: root, able to write more than /tmp, with rights of root, a
// token of the cluster or something of the host, without limits.
func unsafe(spec *core.PodSpec) []string {
	var found []string
	report := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	if s := spec.SecurityContext; s == nil || !is(s.RunAsNonRoot, true) || s.RunAsUser == nil || *s.RunAsUser == 0 ||
		s.SeccompProfile == nil || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		report("its security context is %+v", s)
	}
	if !is(spec.AutomountServiceAccountToken, false) || spec.HostNetwork || spec.HostPID || spec.HostIPC {
		report("it gets a token of the cluster, or something of the host")
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		s := c.SecurityContext
		if s == nil || !is(s.ReadOnlyRootFilesystem, true) || !is(s.AllowPrivilegeEscalation, false) || !is(s.Privileged, false) ||
			s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) || len(s.Capabilities.Add) != 0 {
			report("the security context of container %s is %+v", c.Name, s)
		}
		for _, resource := range []core.ResourceName{core.ResourceMemory, core.ResourceCPU} {
			limit, request := c.Resources.Limits[resource], c.Resources.Requests[resource]
			if limit.IsZero() || request.IsZero() || request.Cmp(limit) > 0 {
				report("container %s requests %s of %s and may have %s", c.Name, request.String(), resource, limit.String())
			}
		}
		if c.Image == "" || strings.HasSuffix(c.Image, ":") || strings.HasSuffix(c.Image, ":latest") {
			report("container %s has image %q", c.Name, c.Image)
		}
	}
	for _, v := range spec.Volumes {
		if v.HostPath != nil {
			report("volume %s is a path of the host", v.Name)
		}
		// The program refuses files that all accounts may read.
		if v.Secret != nil && (v.Secret.DefaultMode == nil || *v.Secret.DefaultMode != 0o440) {
			report("the files of Secret %s have mode %v", v.Secret.SecretName, v.Secret.DefaultMode)
		}
	}
	return found
}

// TestUnsafeBites makes a pod of the chart unsafe, in one way after the other.
func TestUnsafeBites(t *testing.T) {
	t.Parallel()
	documents := rendered(t, merge(required(t, "config.yaml"), values{"migrate": values{"by": "init"}}))
	all := objects(t, documents)
	at := slices.IndexFunc(all, func(o object) bool { return o.Kind == "Deployment" })
	good := all[at].pod().Spec
	if found := unsafe(&good); len(found) > 0 {
		t.Fatal(found)
	}
	for name, spoil := range map[string]func(spec *core.PodSpec){
		"root":               func(spec *core.PodSpec) { *spec.SecurityContext.RunAsUser = 0 },
		"any user":           func(spec *core.PodSpec) { spec.SecurityContext.RunAsNonRoot = nil },
		"no seccomp":         func(spec *core.PodSpec) { spec.SecurityContext.SeccompProfile = nil },
		"a token":            func(spec *core.PodSpec) { spec.AutomountServiceAccountToken = nil },
		"the host's network": func(spec *core.PodSpec) { spec.HostNetwork = true },
		"a root to write":    func(spec *core.PodSpec) { spec.Containers[0].SecurityContext.ReadOnlyRootFilesystem = nil },
		"more rights":        func(spec *core.PodSpec) { spec.Containers[0].SecurityContext.AllowPrivilegeEscalation = nil },
		"a capability": func(spec *core.PodSpec) {
			spec.Containers[0].SecurityContext.Capabilities.Add = []core.Capability{"SYS_ADMIN"}
		},
		"all capabilities":     func(spec *core.PodSpec) { spec.Containers[0].SecurityContext.Capabilities = nil },
		"an unsafe init":       func(spec *core.PodSpec) { spec.InitContainers[0].SecurityContext = nil },
		"no limit of memory":   func(spec *core.PodSpec) { delete(spec.Containers[0].Resources.Limits, core.ResourceMemory) },
		"no request of memory": func(spec *core.PodSpec) { delete(spec.Containers[0].Resources.Requests, core.ResourceMemory) },
		"any image":            func(spec *core.PodSpec) { spec.Containers[0].Image = "sluice:latest" },
		"a path of the host":   func(spec *core.PodSpec) { spec.Volumes[2].HostPath = &core.HostPathVolumeSource{Path: "/"} },
		"a secret for all":     func(spec *core.PodSpec) { spec.Volumes[1].Secret.DefaultMode = nil },
	} {
		spoiled := good.DeepCopy()
		spoil(spoiled)
		errorIf(t, len(unsafe(spoiled)) == 0, "%s: it counts as safe", name)
	}
}

func is(got *bool, want bool) bool { return got != nil && *got == want }

// uses demands that what a pod refers to exists, and that it looks at the configuration in force.
func uses(t *testing.T, o object, template *core.PodTemplateSpec, names map[string]bool) {
	t.Helper()
	spec := template.Spec
	volumes := map[string]bool{}
	hashed := len(template.Annotations["checksum/config"]) == 64
	for _, v := range spec.Volumes {
		volumes[v.Name] = true
		if v.ConfigMap != nil {
			hashed = hashed || strings.HasPrefix(v.ConfigMap.Name, "sluice-config-")
			if !names["ConfigMap "+v.ConfigMap.Name] {
				t.Errorf("%s: its ConfigMap %s is none of these objects", o, v.ConfigMap.Name)
			}
		}
	}
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		if !slices.Contains(c.Env, core.EnvVar{Name: "SLUICE_CONFIG", Value: "/etc/sluice/config.yaml"}) {
			t.Errorf("%s: container %s does not know the configuration: %v", o, c.Name, c.Env)
		}
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] || m.Name != "tmp" && !m.ReadOnly {
				t.Errorf("%s: container %s mounts %s, which is no volume or may be written", o, c.Name, m.Name)
			}
		}
	}
	if spec.ServiceAccountName != "default" && !names["ServiceAccount "+spec.ServiceAccountName] {
		t.Errorf("%s: its account %s is none of these objects", o, spec.ServiceAccountName)
	}
	errorIf(t, !hashed, "%s: another configuration does not make other pods", o)
	errorIf(t, o.Kind == "Job" && (o.Annotations["helm.sh/hook"] != "pre-install,pre-upgrade" || spec.ServiceAccountName != "default"),
		"%s: it is no hook, or needs an account that a hook does not have yet", o)
}

// selects demands that selectors find pods of these objects, and that named ports exist there.
func selects(t *testing.T, o object, all []object) {
	t.Helper()
	var selector map[string]string
	var ports []string
	switch typed := o.typed.(type) {
	case *apps.Deployment:
		selector = typed.Spec.Selector.MatchLabels
	case *policy.PodDisruptionBudget:
		selector = typed.Spec.Selector.MatchLabels
	case *networking.NetworkPolicy:
		selector = typed.Spec.PodSelector.MatchLabels
		for _, rule := range typed.Spec.Ingress {
			for _, port := range rule.Ports {
				ports = append(ports, port.Port.String())
			}
		}
		equal(t, len(typed.Spec.PolicyTypes), 2, o)
	case *core.Service:
		selector = typed.Spec.Selector
		for _, port := range typed.Spec.Ports {
			ports = append(ports, port.TargetPort.String())
		}
	default:
		return
	}
	var found []*core.PodTemplateSpec
	for _, other := range all {
		if template := other.pod(); template != nil && labels.SelectorFromSet(selector).Matches(labels.Set(template.Labels)) {
			found = append(found, template)
		}
	}
	errorIf(t, len(selector) == 0 || len(found) == 0, "%s: its selector %v finds no pod", o, selector)
	exist := map[string]bool{}
	for _, template := range found {
		for _, c := range template.Spec.Containers {
			for _, port := range c.Ports {
				exist[port.Name] = true
			}
		}
	}
	for _, port := range ports {
		errorIf(t, !exist[port], "%s: port %s is none of %v", o, port, slices.Collect(maps.Keys(exist)))
	}
}
