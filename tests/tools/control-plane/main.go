// A control plane of Envoy's protocols for tests: go-control-plane, which serves what it reads. Each line of standard
// input is a snapshot; each line of standard output is a request that came, or a snapshot that is served.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"

	clusterv3 "github.com/envoyproxy/go-control-plane/envoy/config/cluster/v3"
	corev3 "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	endpointv3 "github.com/envoyproxy/go-control-plane/envoy/config/endpoint/v3"
	discoveryv3 "github.com/envoyproxy/go-control-plane/envoy/service/discovery/v3"
	"github.com/envoyproxy/go-control-plane/pkg/cache/types"
	cachev3 "github.com/envoyproxy/go-control-plane/pkg/cache/v3"
	resourcev3 "github.com/envoyproxy/go-control-plane/pkg/resource/v3"
	serverv3 "github.com/envoyproxy/go-control-plane/pkg/server/v3"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

type endpoint struct {
	Address  string `json:"address"`
	Port     uint32 `json:"port"`
	Weight   uint32 `json:"weight"`
	Priority uint32 `json:"priority"`
	Zone     string `json:"zone"`
	Health   string `json:"health"`
}

type snapshot struct {
	Version   string     `json:"version"`
	Cluster   string     `json:"cluster"`
	Service   string     `json:"service"`
	Endpoints []endpoint `json:"endpoints"`
}

func (s snapshot) resources() map[string][]types.Resource {
	cluster := &clusterv3.Cluster{
		Name:                 s.Cluster,
		ClusterDiscoveryType: &clusterv3.Cluster_Type{Type: clusterv3.Cluster_EDS},
		EdsClusterConfig: &clusterv3.Cluster_EdsClusterConfig{
			ServiceName: s.Service,
			EdsConfig: &corev3.ConfigSource{
				ResourceApiVersion:    corev3.ApiVersion_V3,
				ConfigSourceSpecifier: &corev3.ConfigSource_Ads{Ads: &corev3.AggregatedConfigSource{}},
			},
		},
	}
	assignment := &endpointv3.ClusterLoadAssignment{ClusterName: s.Service}
	for _, e := range s.Endpoints {
		one := &endpointv3.LbEndpoint{
			HealthStatus: corev3.HealthStatus(corev3.HealthStatus_value[e.Health]),
			HostIdentifier: &endpointv3.LbEndpoint_Endpoint{Endpoint: &endpointv3.Endpoint{
				Address: &corev3.Address{Address: &corev3.Address_SocketAddress{SocketAddress: &corev3.SocketAddress{
					Address:       e.Address,
					PortSpecifier: &corev3.SocketAddress_PortValue{PortValue: e.Port},
				}}},
			}},
		}
		if e.Weight > 0 {
			one.LoadBalancingWeight = wrapperspb.UInt32(e.Weight)
		}
		assignment.Endpoints = append(assignment.Endpoints, &endpointv3.LocalityLbEndpoints{
			Locality:    &corev3.Locality{Zone: e.Zone},
			Priority:    e.Priority,
			LbEndpoints: []*endpointv3.LbEndpoint{one},
		})
	}
	return map[string][]types.Resource{
		resourcev3.ClusterType:  {cluster},
		resourcev3.EndpointType: {assignment},
	}
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	node := os.Args[2]
	cache := cachev3.NewSnapshotCache(true, cachev3.IDHash{}, nil)
	callbacks := serverv3.CallbackFuncs{
		StreamRequestFunc: func(_ int64, r *discoveryv3.DiscoveryRequest) error {
			fmt.Printf("request %s node=%q version=%q nonce=%q error=%q\n",
				r.TypeUrl, r.GetNode().GetId(), r.VersionInfo, r.ResponseNonce, r.GetErrorDetail().GetMessage())
			return nil
		},
	}
	server := grpc.NewServer()
	discoveryv3.RegisterAggregatedDiscoveryServiceServer(server, serverv3.NewServer(context.Background(), cache, callbacks))
	go func() {
		lines := bufio.NewScanner(os.Stdin)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var s snapshot
			if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			made, err := cachev3.NewSnapshot(s.Version, s.resources())
			if err == nil {
				err = cache.SetSnapshot(context.Background(), node, made)
			}
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Printf("serves %s\n", s.Version)
		}
		os.Exit(0)
	}()
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
