{{- define "unladen.name" -}}
{{- printf "%s" .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{- define "unladen.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "unladen.labels" -}}
{{ include "unladen.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{- define "unladen.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}{{ .repository }}@{{ .digest }}{{- else -}}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{- end -}}
{{- end -}}
{{- end -}}

{{- define "unladen.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "unladen.name" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- /* The configuration. What the pod's own manifest counts on comes from here, and not from the text of a user. */ -}}
{{- define "unladen.config" -}}
drain = "{{ .Values.stop.drainSeconds }}s"
drain_delay = "{{ .Values.stop.delaySeconds }}s"
{{- with .Values.settings }}
{{ . | trimSuffix "\n" }}
{{- end }}

[admin]
listen = "unix:/run/unladen/admin.sock"
probes = "{{ .Values.probes.address }}:{{ .Values.probes.port }}"
ready = {{ .Values.ready | toJson }}

{{ .Values.config | trimSuffix "\n" }}
{{ end -}}

{{- define "unladen.container" -}}
name: unladen
image: {{ include "unladen.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
args: ["serve", "--config", "/etc/unladen/unladen.toml"]
ports:
  - name: probes
    containerPort: {{ .Values.probes.port }}
  {{- if eq .Values.role "site" }}
  {{- range $name, $port := .Values.ports }}
  - name: {{ $name }}
    containerPort: {{ $port }}
  {{- end }}
  {{- end }}
# Until it has begun it is not asked whether it lives.
startupProbe:
  httpGet:
    path: /livez
    port: probes
  periodSeconds: 1
  timeoutSeconds: {{ .Values.probes.livenessTimeoutSeconds }}
  failureThreshold: 60
livenessProbe:
  httpGet:
    path: /livez
    port: probes
  periodSeconds: 10
  timeoutSeconds: {{ .Values.probes.livenessTimeoutSeconds }}
  failureThreshold: 3
readinessProbe:
  httpGet:
    path: /readyz
    port: probes
  periodSeconds: {{ .Values.probes.readinessPeriodSeconds }}
  timeoutSeconds: 2
  failureThreshold: 1
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
volumeMounts:
  - name: config
    {{- if eq .Values.reload "roll" }}
    # A file alone is never changed in a running pod.
    mountPath: /etc/unladen/unladen.toml
    subPath: unladen.toml
    {{- else }}
    mountPath: /etc/unladen
    {{- end }}
    readOnly: true
  - name: run
    mountPath: /run/unladen
  # Bodies of requests that do not fit into memory.
  - name: spool
    mountPath: /var/tmp
  {{- if .Values.application.enabled }}
  - name: sockets
    mountPath: {{ .Values.socketFolder }}
  {{- end }}
  {{- with .Values.volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "unladen.application" -}}
{{- with .Values.application -}}
name: application
image: {{ required "application.image: the image of the application in the same pod" .image | quote }}
imagePullPolicy: {{ .pullPolicy }}
{{- with .command }}
command:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .args }}
args:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .env }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .ports }}
ports:
  {{- range $name, $port := . }}
  - name: {{ $name }}
    containerPort: {{ $port }}
  {{- end }}
{{- end }}
{{- with .startupProbe }}
startupProbe:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .livenessProbe }}
livenessProbe:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .readinessProbe }}
readinessProbe:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .securityContext | nindent 2 }}
volumeMounts:
  - name: sockets
    mountPath: {{ $.Values.socketFolder }}
  {{- range .files }}
  - name: files
    mountPath: {{ .path }}
    subPath: {{ .name }}
    readOnly: true
  {{- end }}
  {{- with .volumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}
