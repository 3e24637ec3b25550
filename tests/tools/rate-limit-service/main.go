// Envoy's rate limit service as it is, configured by its environment.
package main

import (
	"github.com/envoyproxy/ratelimit/src/service_cmd/runner"
	"github.com/envoyproxy/ratelimit/src/settings"
)

func main() {
	service := runner.NewRunner(settings.NewSettings())
	service.Run()
}
