job "shop" {
  type = "service"

  # As many at a time as are not ready for a while, and back if they do not become it.
  update {
    max_parallel     = 1
    health_check     = "checks"
    min_healthy_time = "10s"
    healthy_deadline = "2m"
    auto_revert      = true
  }

  group "shop" {
    count = 2

    network {
      port "http" { to = 8080 }
      port "probes" { to = 9902 }
    }

    # How long after the service is taken out of the catalogue the tasks are asked to stop.
    shutdown_delay = "10s"

    service {
      name     = "shop"
      port     = "http"
      provider = "nomad"

      check {
        name     = "ready"
        type     = "http"
        port     = "probes"
        path     = "/readyz"
        interval = "2s"
        timeout  = "2s"
      }
    }

    # Begins before Unladen, and ends after it.
    task "application" {
      driver = "docker"
      user   = "65532:65532"

      lifecycle {
        hook    = "prestart"
        sidecar = true
      }

      config {
        image   = "registry.example/shop:1.4.2"
        volumes = ["local/zz-unladen.conf:/usr/local/etc/php-fpm.d/zz-unladen.conf"]
      }

      template {
        destination = "local/zz-unladen.conf"
        data        = <<-EOF
          [global]
          process_control_timeout = 8s
          [www]
          listen = {{ env "NOMAD_ALLOC_DIR" }}/fpm.sock
          listen.mode = 0660
          pm.status_path = /fpm-status
        EOF
      }

      kill_signal  = "SIGQUIT"
      kill_timeout = "50s"

      resources {
        cpu    = 500
        memory = 512
      }
    }

    task "unladen" {
      driver = "docker"
      user   = "65532:65532"

      config {
        image = "unladen:0.1.0"
        args  = ["serve", "--config", "/local/unladen.toml"]
        ports = ["http", "probes"]
      }

      # A change is taken by the running process.
      template {
        destination = "local/unladen.toml"
        change_mode = "noop"
        data        = <<-EOF
          drain = "30s"

          [admin]
          listen = "unix:/alloc/admin.sock"
          probes = "0.0.0.0:9902"

          [[site]]
          name = "shop"
          listen = "0.0.0.0:8080"
          root = "/alloc/data/public"
          php = "/alloc/fpm.sock"
          fastcgi.status = "/fpm-status"
          trusted.proxies = ["10.0.0.0/8", "172.16.0.0/12"]
        EOF
      }

      kill_timeout = "40s"

      resources {
        cpu    = 200
        memory = 256
      }
    }
  }
}
