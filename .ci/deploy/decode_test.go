package deploy_test

import (
	"errors"
	"fmt"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// object is a document in its type.
type object struct {
	meta.TypeMeta
	meta.ObjectMeta
	typed any
}

func (o object) String() string { return o.Kind + " " + o.Name }

// typeOf returns an empty value of the type that a document has to fit, nil for a kind that deploy
// does not have.
func typeOf(kind meta.TypeMeta) meta.ObjectMetaAccessor {
	return map[string]meta.ObjectMetaAccessor{
		"v1 ConfigMap":                            new(core.ConfigMap),
		"v1 Service":                              new(core.Service),
		"v1 ServiceAccount":                       new(core.ServiceAccount),
		"apps/v1 Deployment":                      new(apps.Deployment),
		"batch/v1 CronJob":                        new(batch.CronJob),
		"batch/v1 Job":                            new(batch.Job),
		"networking.k8s.io/v1 Ingress":            new(networking.Ingress),
		"networking.k8s.io/v1 NetworkPolicy":      new(networking.NetworkPolicy),
		"policy/v1 PodDisruptionBudget":           new(policy.PodDisruptionBudget),
		"monitoring.coreos.com/v1 ServiceMonitor": new(serviceMonitor),
		"monitoring.coreos.com/v1 PrometheusRule": new(prometheusRule),
	}[kind.APIVersion+" "+kind.Kind]
}

// decode reads a document into its type. A key that the type does not have (also one in other
// letters), a key twice, and a value of another type are errors: a cluster drops the first in
// silence, or refuses it late.
func decode(text string) (object, error) {
	var kind meta.TypeMeta
	if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
		return object{}, fmt.Errorf("no YAML: %w", err)
	}
	typed := typeOf(kind)
	if typed == nil {
		return object{}, fmt.Errorf("%s %s is no kind that deploy has", kind.APIVersion, kind.Kind)
	}
	asJSON, err := yaml.YAMLToJSONStrict([]byte(text))
	if err != nil {
		return object{}, fmt.Errorf("%s: %w", kind.Kind, err)
	}
	strict, err := json.UnmarshalStrict(asJSON, typed)
	if err := errors.Join(append(strict, err)...); err != nil {
		return object{}, fmt.Errorf("%s: %w", kind.Kind, err)
	}
	about, ok := typed.GetObjectMeta().(*meta.ObjectMeta)
	if !ok || about.Name == "" {
		return object{}, errors.New(kind.Kind + " has no name")
	}
	return object{TypeMeta: kind, ObjectMeta: *about, typed: typed}, nil
}

// serviceMonitor is what the chart uses of the Prometheus operator's type.
type serviceMonitor struct {
	meta.TypeMeta
	meta.ObjectMeta `json:"metadata"`

	Spec struct {
		Selector  meta.LabelSelector `json:"selector"`
		Endpoints []struct {
			Port        string `json:"port"`
			Path        string `json:"path"`
			Interval    string `json:"interval"`
			Relabelings []struct {
				TargetLabel string `json:"targetLabel"`
				Replacement string `json:"replacement"`
			} `json:"relabelings"`
		} `json:"endpoints"`
	} `json:"spec"`
}

// prometheusRule is what the chart uses of the Prometheus operator's type.
type prometheusRule struct {
	meta.TypeMeta
	meta.ObjectMeta `json:"metadata"`

	Spec struct {
		Groups []struct {
			Name     string `json:"name"`
			Interval string `json:"interval,omitempty"`
			Rules    []struct {
				Alert         string            `json:"alert,omitempty"`
				Record        string            `json:"record,omitempty"`
				Expr          string            `json:"expr"`
				For           string            `json:"for,omitempty"`
				KeepFiringFor string            `json:"keep_firing_for,omitempty"`
				Labels        map[string]string `json:"labels,omitempty"`
				Annotations   map[string]string `json:"annotations,omitempty"`
			} `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

// pod is the template of a workload.
func (o object) pod() *core.PodTemplateSpec {
	switch typed := o.typed.(type) {
	case *apps.Deployment:
		return &typed.Spec.Template
	case *batch.CronJob:
		return &typed.Spec.JobTemplate.Spec.Template
	case *batch.Job:
		return &typed.Spec.Template
	}
	return nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sure returns the value of a call, and ends the test if the call failed.
func sure[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		must(t, err)
		return value
	}
}

// errorIf fails the test where something is not as it should be, and says what.
func errorIf(t *testing.T, wrong bool, format string, args ...any) {
	t.Helper()
	if wrong {
		t.Errorf(format, args...)
	}
}

// fatalIf does so, and ends it.
func fatalIf(t *testing.T, wrong bool, format string, args ...any) {
	t.Helper()
	if wrong {
		t.Fatalf(format, args...)
	}
}
