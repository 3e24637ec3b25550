// Lints a chart and renders it, as `helm lint` and `helm template` do, without all that helm has for clusters.
//
//	helm lint CHART VALUES…
//	helm template CHART VALUES NAME NAMESPACE KUBERNETES-VERSION
//
// VALUES is a file, or "-": those of the chart alone.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "helm:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) >= 3 && args[0] == "lint":
		for _, file := range args[2:] {
			if err := check(args[1], file); err != nil {
				return err
			}
		}
		return nil
	case len(args) == 6 && args[0] == "template":
		return template(args[1], args[2], args[3], args[4], args[5])
	}
	return fmt.Errorf("lint CHART VALUES… | template CHART VALUES NAME NAMESPACE KUBERNETES-VERSION")
}

func values(file string) (map[string]interface{}, error) {
	if file == "-" {
		return map[string]interface{}{}, nil
	}
	read, err := chartutil.ReadValuesFile(file)
	return read, err
}

// As strict as `helm lint --strict`: a warning fails too.
func check(folder, file string) error {
	given, err := values(file)
	if err != nil {
		return err
	}
	linter := lint.AllWithKubeVersion(folder, given, "default", nil)
	for _, message := range linter.Messages {
		if message.Severity >= support.WarningSev {
			err = fmt.Errorf("%s does not pass with %s", folder, file)
		}
		fmt.Println(message)
	}
	return err
}

func template(folder, file, name, namespace, version string) error {
	chart, err := loader.Load(folder)
	if err != nil {
		return err
	}
	given, err := values(file)
	if err != nil {
		return err
	}
	kubernetes, err := chartutil.ParseKubeVersion(version)
	if err != nil {
		return err
	}
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = *kubernetes
	release := chartutil.ReleaseOptions{Name: name, Namespace: namespace, Revision: 1, IsInstall: true}
	// With the schema of the values.
	all, err := chartutil.ToRenderValues(chart, given, release, capabilities)
	if err != nil {
		return err
	}
	rendered, err := engine.Render(chart, all)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(rendered))
	for name := range rendered {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		text := strings.TrimSpace(rendered[name])
		if text == "" || strings.HasSuffix(name, "NOTES.txt") {
			continue
		}
		fmt.Printf("---\n# Source: %s\n%s\n", name, strings.TrimPrefix(text, "---\n"))
	}
	return nil
}
