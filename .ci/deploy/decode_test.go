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

// types returns an empty value of the type that a document has to fit, and where its metadata is.
func types(kind meta.TypeMeta) (any, func() meta.ObjectMeta) {
	switch kind.APIVersion + " " + kind.Kind {
	case "v1 ConfigMap":
		o := new(core.ConfigMap)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "v1 Service":
		o := new(core.Service)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "v1 ServiceAccount":
		o := new(core.ServiceAccount)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "apps/v1 Deployment":
		o := new(apps.Deployment)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "batch/v1 CronJob":
		o := new(batch.CronJob)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "batch/v1 Job":
		o := new(batch.Job)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "networking.k8s.io/v1 Ingress":
		o := new(networking.Ingress)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "networking.k8s.io/v1 NetworkPolicy":
		o := new(networking.NetworkPolicy)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "policy/v1 PodDisruptionBudget":
		o := new(policy.PodDisruptionBudget)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "monitoring.coreos.com/v1 ServiceMonitor":
		o := new(serviceMonitor)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	case "monitoring.coreos.com/v1 PrometheusRule":
		o := new(prometheusRule)
		return o, func() meta.ObjectMeta { return o.ObjectMeta }
	}
	return nil, nil
}

// decode reads a document into its type. A key that the type does not have (also one in other
// letters), a key twice, and a value of another type are errors: a cluster drops the first in
// silence, or refuses it late.
func decode(text string) (object, error) {
	var kind meta.TypeMeta
	if err := yaml.Unmarshal([]byte(text), &kind); err != nil {
		return object{}, fmt.Errorf("no YAML: %w", err)
	}
	typed, of := types(kind)
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
	if of().Name == "" {
		return object{}, errors.New(kind.Kind + " has no name")
	}
	return object{TypeMeta: kind, ObjectMeta: of(), typed: typed}, nil
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
