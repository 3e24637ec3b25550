<?php
// Notes that all may read, and that who has logged in may write.
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\DB;
use Illuminate\Support\Facades\Route;

function whole(string $body): string
{
    return "<!doctype html><html lang=\"en\"><title>Notes</title><link rel=\"stylesheet\" href=\"/build/assets/app-4ed993c7.css\"><body>$body</body></html>";
}

function form(string $action, string $fields): string
{
    return "<form method=\"post\" action=\"$action\" enctype=\"multipart/form-data\"><input type=\"hidden\" name=\"_token\" value=\""
        . csrf_token() . "\">$fields</form>";
}

function notes($rows): string
{
    return '<ul>' . $rows->map(fn ($row) => '<li>' . e($row->text) . '</li>')->implode('') . '</ul>';
}

Route::middleware('web')->group(function () {
    Route::get('/', function () {
        $user = Auth::user();
        $own = $user
            ? '<p id="user">' . e($user->name) . '</p>' . form('/notes', '<textarea name="text"></textarea><input type="file" name="file"><button id="write">Write</button>')
                . form('/logout', '<button id="logout">Log out</button>')
            : form('/login', '<input name="email"><input name="password" type="password"><button id="login">Log in</button>');
        return whole($own . notes(DB::table('notes')->orderBy('id')->get()));
    });
    Route::post('/login', function (Request $request) {
        if (!Auth::attempt($request->only('email', 'password'))) {
            return response(whole('<p>no such user</p>'), 403);
        }
        $request->session()->regenerate();
        return redirect('/');
    });
    Route::post('/logout', function (Request $request) {
        Auth::logout();
        $request->session()->invalidate();
        return redirect('/');
    });
    Route::post('/notes', function (Request $request) {
        abort_unless(Auth::check(), 403);
        DB::table('notes')->insert(['text' => $request->input('text')]);
        if ($request->hasFile('file')) {
            $request->file('file')->move(public_path('storage'), $request->file('file')->getClientOriginalName());
        }
        return redirect('/');
    });
});

// Without a session, and good for a minute.
Route::middleware('cache.headers:public;max_age=60')->get('/notes', function (Request $request) {
    $rows = DB::table('notes')->where('text', 'like', '%' . $request->query('q', '') . '%')->orderBy('id')->get();
    return whole(notes($rows));
});
