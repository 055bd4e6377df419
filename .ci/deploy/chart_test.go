package deploy_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
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
			documents, err := render(loaded, merge(size(t, p.size), p.values), "Helm")
			if err != nil {
				t.Fatal(err)
			}
			all := objects(t, documents)
			want := wanted(p.name)
			var got []string
			for _, o := range all {
				got = append(got, o.String())
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("objects are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			agrees(t, all)
			if notes := documents["NOTES.txt"][0]; !strings.Contains(notes, "Secret sluice-secrets") || strings.Contains(notes, "<no value>") {
				t.Errorf("the notes say\n%s", notes)
			}
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
		if names[o.String()] {
			t.Errorf("%s exists twice", o)
		}
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
	documents, err := render(load(t), merge(required(t, "config.yaml"), values{"migrate": values{"by": "init"}}), "Helm")
	if err != nil {
		t.Fatal(err)
	}
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
		if len(unsafe(spoiled)) == 0 {
			t.Errorf("%s: it counts as safe", name)
		}
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
	if !hashed {
		t.Errorf("%s: another configuration does not make other pods", o)
	}
	if o.Kind == "Job" && (o.Annotations["helm.sh/hook"] != "pre-install,pre-upgrade" || spec.ServiceAccountName != "default") {
		t.Errorf("%s: it is no hook, or needs an account that a hook does not have yet", o)
	}
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
		if len(typed.Spec.PolicyTypes) != 2 {
			t.Errorf("%s: it leaves a direction open", o)
		}
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
	if len(selector) == 0 || len(found) == 0 {
		t.Errorf("%s: its selector %v finds no pod", o, selector)
	}
	exist := map[string]bool{}
	for _, template := range found {
		for _, c := range template.Spec.Containers {
			for _, port := range c.Ports {
				exist[port.Name] = true
			}
		}
	}
	for _, port := range ports {
		if !exist[port] {
			t.Errorf("%s: port %s is none of %v", o, port, slices.Collect(maps.Keys(exist)))
		}
	}
}

// TestReceiverStandsAlone: what the internet reaches has neither the sealing key nor the port of the
// metrics, and reaches the database only.
func TestReceiverStandsAlone(t *testing.T) {
	t.Parallel()
	given := merge(required(t, "receiver.yaml"), everything())
	documents, err := render(load(t), given, "Helm")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects(t, documents) {
		if o.Name != "sluice-receiver" {
			continue
		}
		switch typed := o.typed.(type) {
		case *apps.Deployment:
			for _, v := range typed.Spec.Template.Spec.Containers[0].Env {
				if strings.Contains(v.Name, "KEY") {
					t.Errorf("the receiver has %s", v.Name)
				}
			}
			for _, v := range typed.Spec.Template.Spec.Volumes {
				if v.Secret != nil && v.Secret.SecretName != "sluice-receiver" {
					t.Errorf("the receiver has the Secret %s", v.Secret.SecretName)
				}
			}
		case *core.Service:
			if len(typed.Spec.Ports) != 1 || typed.Spec.Ports[0].TargetPort.String() != "callbacks" {
				t.Errorf("the Service has ports %v", typed.Spec.Ports)
			}
		case *networking.NetworkPolicy:
			for _, rule := range typed.Spec.Egress {
				for _, port := range rule.Ports {
					if n := port.Port.IntValue(); n != 53 && n != 6432 {
						t.Errorf("the receiver reaches port %d", n)
					}
				}
			}
		}
	}
}

// TestConsoleIsClosed: without a Service the console listens for its own pod alone, and nothing comes
// in. With one it reaches the database and the provider, and not upstream.
func TestConsoleIsClosed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given   values
		listens string
		ingress int
		reaches []int
	}{
		"without a Service": {values{"console": values{"enabled": true}}, "127.0.0.1:9467", 0, []int{53, 53, 5432}},
		"with a Service":    {everything(), "0.0.0.0:9467", 1, []int{53, 53, 6432, 443}},
	} {
		documents, err := render(load(t), merge(required(t, "config.yaml"), c.given), "Helm")
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, o := range objects(t, documents) {
			if o.Name != "sluice-console" {
				continue
			}
			switch typed := o.typed.(type) {
			case *apps.Deployment:
				found++
				if args := typed.Spec.Template.Spec.Containers[0].Args; !slices.Equal(args, []string{"console", "--listen", c.listens}) {
					t.Errorf("%s: the arguments are %q", name, args)
				}
			case *networking.NetworkPolicy:
				found++
				var reaches []int
				for _, rule := range typed.Spec.Egress {
					for _, port := range rule.Ports {
						reaches = append(reaches, port.Port.IntValue())
					}
				}
				if len(typed.Spec.Ingress) != c.ingress || !slices.Equal(reaches, c.reaches) {
					t.Errorf("%s: %d ways in, want %d; it reaches %v, want %v", name, len(typed.Spec.Ingress), c.ingress, reaches, c.reaches)
				}
			}
		}
		if found != 2 {
			t.Errorf("%s: %d of Deployment and NetworkPolicy, want both", name, found)
		}
	}
}

// TestAnotherConfigurationMakesOtherPods changes a word of the configuration.
func TestAnotherConfigurationMakesOtherPods(t *testing.T) {
	t.Parallel()
	loaded := load(t)
	checksum := func(given values) string {
		documents, err := render(loaded, given, "Helm")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range objects(t, documents) {
			if o.Kind == "Deployment" {
				return o.pod().Annotations["checksum/config"]
			}
		}
		return ""
	}
	given := required(t, "config.yaml")
	before, same := checksum(given), checksum(merge(given, values{"serve": values{"replicas": 3}}))
	after := checksum(merge(given, values{"config": example(t, "config.yaml") + "workers: 4\n"}))
	if before == "" || before != same || before == after {
		t.Errorf("checksums: %s, with more replicas %s, with another configuration %s", before, same, after)
	}
}

// TestWhatTheJobIs: a failed turn is not repeated at once, and a migration is.
func TestWhatTheJobIs(t *testing.T) {
	t.Parallel()
	documents, err := render(load(t), merge(required(t, "config.yaml"), values{"mode": "batch"}), "Helm")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects(t, documents) {
		switch typed := o.typed.(type) {
		case *batch.CronJob:
			if n := typed.Spec.JobTemplate.Spec.BackoffLimit; n == nil || *n != 0 || typed.Spec.ConcurrencyPolicy != batch.ForbidConcurrent {
				t.Errorf("the CronJob is %+v", typed.Spec)
			}
		case *batch.Job:
			if n := typed.Spec.BackoffLimit; n == nil || *n == 0 {
				t.Errorf("the Job is %+v", typed.Spec)
			}
			before(t, o, documents)
		}
	}
}

// before demands that what a hook needs is a hook of a smaller weight: the release does not exist yet.
func before(t *testing.T, hook object, documents map[string][]string) {
	t.Helper()
	for _, o := range objects(t, documents) {
		if o.Kind == "Job" || o.Labels["app.kubernetes.io/component"] != "migrate" {
			continue
		}
		if o.Annotations["helm.sh/hook"] != hook.Annotations["helm.sh/hook"] || o.Annotations["helm.sh/hook-weight"] != "-5" ||
			hook.Annotations["helm.sh/hook-weight"] != "0" || o.Annotations["helm.sh/hook-delete-policy"] != "before-hook-creation,hook-succeeded" {
			t.Errorf("%s is not there when %s runs: %v", o, hook, o.Annotations)
		}
	}
	for _, v := range hook.pod().Spec.Volumes {
		if v.ConfigMap != nil && v.ConfigMap.Name != "sluice-migrate" {
			t.Errorf("%s needs ConfigMap %s, which is not there yet", hook, v.ConfigMap.Name)
		}
	}
}

// TestMigrateArguments: role and plan reach the command, in the Job and in the init container.
func TestMigrateArguments(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"job", "init"} {
		given := merge(required(t, "config.yaml"), values{"migrate": values{"by": by, "worker": "sluice_worker", "accept": "3f2a9c01d4"}})
		documents, err := render(load(t), given, "Helm")
		if err != nil {
			t.Fatal(err)
		}
		want, found := []string{"migrate", "--wait", "5m", "--worker", "sluice_worker", "--accept", "3f2a9c01d4"}, false
		for _, o := range objects(t, documents) {
			if template := o.pod(); template != nil {
				for _, c := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
					found = found || slices.Equal(c.Args, want)
				}
			}
		}
		if !found {
			t.Errorf("by %s: no container has the arguments %q", by, want)
		}
	}
}

// TestWrongValues breaks one value at a time; values.schema.json or the template has to refuse it,
// and to name it.
func TestWrongValues(t *testing.T) {
	t.Parallel()
	loaded := load(t)
	for name, c := range map[string]struct {
		wrong values
		says  string
	}{
		"an unknown key":             {values{"replicas": 2}, "replicas"},
		"an unknown key inside":      {values{"receiver": values{"enable": true}}, "enable"},
		"a key of an older chart":    {values{"migrate": values{"enabled": true}}, "enabled"},
		"a text for a number":        {values{"serve": values{"replicas": "two"}}, "replicas"},
		"a negative number":          {values{"serve": values{"replicas": -1}}, "replicas"},
		"a number for a text":        {values{"batch": values{"schedule": 30}}, "schedule"},
		"half a schedule":            {values{"batch": values{"schedule": "*/30 *"}}, "schedule"},
		"a text for a switch":        {values{"receiver": values{"enabled": "yes"}}, "enabled"},
		"an unknown mode":            {values{"mode": "daemon"}, "mode"},
		"an unknown way to migrate":  {values{"migrate": values{"by": "hand"}}, "by"},
		"a wait without unit":        {values{"migrate": values{"wait": "5"}}, "wait"},
		"a role in two words":        {values{"migrate": values{"worker": "sluice worker"}}, "worker"},
		"an unknown policy":          {values{"image": values{"pullPolicy": "Sometimes"}}, "pullPolicy"},
		"a short digest":             {values{"image": values{"digest": "sha256:abc"}}, "digest"},
		"a port beyond":              {values{"networkPolicy": values{"database": values{"port": 70000}}}, "port"},
		"a network without a length": {values{"networkPolicy": values{"upstream": values{"cidr": "10.0.0.0"}}}, "cidr"},
		"peers as a text":            {values{"networkPolicy": values{"metricsFrom": "monitoring"}}, "metricsFrom"},
		"memory in words":            {values{"resources": values{"limits": values{"memory": "much"}}}, "memory"},
		"no limit":                   {values{"resources": values{"limits": nil}}, "limits"},
		"a budget of nothing":        {values{"podDisruptionBudget": values{"maxUnavailable": 0}}, "maxUnavailable"},
		"a configuration as a map":   {values{"config": values{"workers": 8}}, "config"},
		"no configuration":           {values{"config": ""}, "--set-file config=config.yaml"},
		"no Secret":                  {values{"secrets": values{"existingSecret": ""}}, "secrets.existingSecret"},
		"an ingress without a host": {
			values{"receiver": values{"enabled": true, "ingress": values{"enabled": true, "tlsSecret": "tls"}}}, "receiver.ingress.host",
		},
		"an ingress without TLS": {
			values{"receiver": values{"enabled": true, "ingress": values{"enabled": true, "host": "hooks.example.com"}}}, "receiver.ingress.tlsSecret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := render(loaded, merge(required(t, "config.yaml"), c.wrong), "Helm")
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want a refusal that names %q", err, c.says)
			}
		})
	}
}

// TestDecodeBites shows documents to decode that a cluster would take in silence, or refuse late.
func TestDecodeBites(t *testing.T) {
	t.Parallel()
	const good = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {clusterIP: None}\n"
	if _, err := decode(good); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{"clusterIP", "clusterIp"}, {"None", "[]"}, {"kind: Service", "kind: Servce"}, {"{name: a}", "{}"}, {"spec:", "metadata: {name: b}\nspec:"},
	} {
		if _, err := decode(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("with %q instead of %q it is taken", change[1], change[0])
		}
	}
}
