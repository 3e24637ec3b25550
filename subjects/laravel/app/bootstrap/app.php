<?php
// An application of Laravel with as little as pages, sessions, users and a database need.
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as HttpKernel;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Routing\Router;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\ServiceProvider;

final class WebKernel extends Kernel
{
    protected $middlewareGroups = ['web' => [
        Illuminate\Cookie\Middleware\EncryptCookies::class,
        Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse::class,
        Illuminate\Session\Middleware\StartSession::class,
        Illuminate\Foundation\Http\Middleware\VerifyCsrfToken::class,
        Illuminate\Routing\Middleware\SubstituteBindings::class,
    ]];
    protected $routeMiddleware = [
        'cache.headers' => Illuminate\Http\Middleware\SetCacheHeaders::class,
    ];
}

final class Routes extends ServiceProvider
{
    public function boot(): void
    {
        require __DIR__ . '/../routes.php';
    }
}

$app = new Application(dirname(__DIR__));
$app->useStoragePath(getenv('APP_STORAGE'));
$app->singleton(HttpKernel::class, WebKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);
return $app;
