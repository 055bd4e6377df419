package deploy_test

import (
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
)

// rendered renders the chart with values.
func rendered(t *testing.T, given values) map[string][]string {
	t.Helper()
	documents := sure(render(load(t), given, "Helm"))(t)
	return documents
}

// TestReceiverStandsAlone: what the internet reaches has neither the sealing key nor the port of the
// metrics, and reaches the database only.
func TestReceiverStandsAlone(t *testing.T) {
	t.Parallel()
	given := merge(required(t, "receiver.yaml"), everything())
	documents := rendered(t, given)
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
					n := port.Port.IntValue()
					errorIf(t, n != 53 && n != 6432, "the receiver reaches port %d", n)
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
		documents := rendered(t, merge(required(t, "config.yaml"), c.given))
		found := 0
		for _, o := range objects(t, documents) {
			if o.Name != "sluice-console" {
				continue
			}
			switch typed := o.typed.(type) {
			case *apps.Deployment:
				found++
				args := typed.Spec.Template.Spec.Containers[0].Args
				errorIf(t, !slices.Equal(args, []string{"console", "--listen", c.listens}), "%s: the arguments are %q", name, args)
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
		equal(t, found, 2, name)
	}
}

// TestAnotherConfigurationMakesOtherPods changes a word of the configuration.
func TestAnotherConfigurationMakesOtherPods(t *testing.T) {
	t.Parallel()
	checksum := func(given values) string {
		documents := rendered(t, given)
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
	errorIf(t, before == "" || before != same || before == after,
		"checksums: %s, with more replicas %s, with another configuration %s", before, same, after)
}

// TestWhatTheJobIs: a failed turn is not repeated at once, and a migration is.
func TestWhatTheJobIs(t *testing.T) {
	t.Parallel()
	documents := rendered(t, merge(required(t, "config.yaml"), values{"mode": "batch"}))
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
		errorIf(t, o.Annotations["helm.sh/hook"] != hook.Annotations["helm.sh/hook"] || o.Annotations["helm.sh/hook-weight"] != "-5" ||
			hook.Annotations["helm.sh/hook-weight"] != "0" || o.Annotations["helm.sh/hook-delete-policy"] != "before-hook-creation,hook-succeeded",
			"%s is not there when %s runs: %v", o, hook, o.Annotations)
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
		documents := rendered(t, given)
		want, found := []string{"migrate", "--wait", "5m", "--worker", "sluice_worker", "--accept", "3f2a9c01d4"}, false
		for _, o := range objects(t, documents) {
			if template := o.pod(); template != nil {
				for _, c := range slices.Concat(template.Spec.InitContainers, template.Spec.Containers) {
					found = found || slices.Equal(c.Args, want)
				}
			}
		}
		errorIf(t, !found, "by %s: no container has the arguments %q", by, want)
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
			errorIf(t, err == nil || !strings.Contains(err.Error(), c.says), "got %v, want a refusal that names %q", err, c.says)
		})
	}
}

// TestDecodeBites shows documents to decode that a cluster would take in silence, or refuse late.
func TestDecodeBites(t *testing.T) {
	t.Parallel()
	const good = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {clusterIP: None}\n"
	sure(decode(good))(t)
	for _, change := range [][2]string{
		{"clusterIP", "clusterIp"}, {"None", "[]"}, {"kind: Service", "kind: Servce"}, {"{name: a}", "{}"}, {"spec:", "metadata: {name: b}\nspec:"},
	} {
		if _, err := decode(strings.Replace(good, change[0], change[1], 1)); err == nil {
			t.Errorf("with %q instead of %q it is taken", change[1], change[0])
		}
	}
}
