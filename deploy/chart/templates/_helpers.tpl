{{/* The chart's name in labels. */}}
{{- define "sluice.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* The name of all objects. The longest suffix is 9 letters, and CronJobs take 52. */}}
{{- define "sluice.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 43 | trimSuffix "-" -}}
{{- else if contains (include "sluice.name" .) .Release.Name -}}
{{- .Release.Name | trunc 43 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "sluice.name" .) | trunc 43 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What a selector asks for. A dict: root, component. */}}
{{- define "sluice.selector" -}}
app.kubernetes.io/name: {{ include "sluice.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with get . "component" }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* Labels of objects. A dict: root, component. */}}
{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{- define "sluice.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}
{{- end -}}

{{- define "sluice.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "sluice.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "sluice.config" -}}
{{- required "config is empty: give the configuration of sluice, such as --set-file config=config.yaml" .Values.config -}}
{{- end -}}

{{- define "sluice.secret" -}}
{{- required "secrets.existingSecret is empty: name the Secret with database_url, encryption_key and what the configuration refers to" .Values.secrets.existingSecret -}}
{{- end -}}

{{/* Lines of the pod that keep it small. A dict: root, serviceAccount. */}}
{{- define "sluice.podSecurity" -}}
serviceAccountName: {{ .serviceAccount }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  # The group that may read the mounted secrets.
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- with .root.Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .root.Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A container. A dict: root, name, args, sealing, resources, secrets (name of a volume). */}}
{{- define "sluice.container" -}}
- name: {{ .name }}
  image: {{ include "sluice.image" .root | quote }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args:
    {{- toYaml .args | nindent 4 }}
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    privileged: false
    capabilities: {drop: [ALL]}
  env:
    - name: SLUICE_CONFIG
      value: /etc/sluice/config.yaml
    {{- if .sealing }}
    - name: SLUICE_ENCRYPTION_KEY_FILE
      value: {{ .root.Values.secrets.mountPath }}/encryption_key
    {{- end }}
    {{- with .root.Values.goMemoryLimit }}
    - name: GOMEMLIMIT
      value: {{ . | quote }}
    {{- end }}
    {{- with .root.Values.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  resources:
    {{- toYaml .resources | nindent 4 }}
  volumeMounts:
    - {name: config, mountPath: /etc/sluice, readOnly: true}
    - {name: {{ get . "secrets" | default "secrets" }}, mountPath: {{ .root.Values.secrets.mountPath }}, readOnly: true}
    - {name: tmp, mountPath: /tmp}
{{- end -}}

{{/* The container that migrates. A dict: root, secrets (name of a volume). */}}
{{- define "sluice.migrateContainer" -}}
{{- $values := .root.Values }}
{{- $args := list "migrate" "--wait" $values.migrate.wait }}
{{- with $values.migrate.worker }}{{ $args = concat $args (list "--worker" .) }}{{ end }}
{{- with $values.migrate.accept }}{{ $args = concat $args (list "--accept" .) }}{{ end }}
{{- include "sluice.container" (dict "root" .root "name" "migrate" "args" $args "sealing" false "resources" $values.resources "secrets" .secrets) }}
{{- end -}}

{{/* The init container of workers, if they migrate. */}}
{{- define "sluice.init" -}}
{{- if eq .Values.migrate.by "init" }}
initContainers:
  {{- include "sluice.migrateContainer" (dict "root" . "secrets" (ternary "owner" "secrets" (ne .Values.migrate.existingSecret ""))) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The volume of the init container, if its Secret is another one. */}}
{{- define "sluice.initVolume" -}}
{{- if and (eq .Values.migrate.by "init") .Values.migrate.existingSecret }}
- name: owner
  secret:
    secretName: {{ .Values.migrate.existingSecret }}
    defaultMode: 0440
{{- end }}
{{- end -}}

{{/* Volumes of each pod. A dict: config (name of a ConfigMap), secret (name of a Secret). */}}
{{- define "sluice.volumes" -}}
- name: config
  configMap: {name: {{ .config }}}
- name: secrets
  secret:
    secretName: {{ .secret }}
    # The program refuses files that all accounts may read, as the default 0644 lets them.
    defaultMode: 0440
- name: tmp
  emptyDir: {sizeLimit: 256Mi}
{{- end -}}

{{/* Probes of a process with health pages. */}}
{{- define "sluice.probes" -}}
startupProbe:
  httpGet: {path: /healthz, port: metrics}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, port: metrics}
  periodSeconds: 20
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: {path: /readyz, port: metrics}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end -}}

{{/* Replicas on different nodes. A dict: root, component. */}}
{{- define "sluice.spread" -}}
{{- if .root.Values.spreadOverNodes }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "sluice.selector" . | nindent 8 }}
{{- end }}
{{- end -}}

{{/* Labels and annotations of a pod. A dict: root, component, checksum. */}}
{{- define "sluice.podMetadata" -}}
labels:
  {{- include "sluice.labels" . | nindent 2 }}
  {{- with .root.Values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  # Another configuration makes other pods.
  checksum/config: {{ include "sluice.config" .root | sha256sum }}
  {{- with .root.Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Ports that a pod of this chart asks names at. */}}
{{- define "sluice.egressNames" -}}
- ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
{{- end -}}

{{- define "sluice.egressDatabase" -}}
- ports:
    - {port: {{ .Values.networkPolicy.database.port }}, protocol: TCP}
  {{- with .Values.networkPolicy.database.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "sluice.ingressMetrics" -}}
- ports:
    - {port: metrics, protocol: TCP}
  from:
    {{- if .Values.networkPolicy.metricsFrom }}
    {{- toYaml .Values.networkPolicy.metricsFrom | nindent 4 }}
    {{- else }}
    - podSelector: {}
    {{- end }}
{{- end -}}
