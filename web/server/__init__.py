"""The web server of the arena.

A request passes these modules in order:

1. `connection.py` reads it, and closes the connection if it does not arrive in time.
2. `security.py` rejects requests from other sites.
3. `app.py` finds the route and calls the method of its API; `requests.py` validates the body.
4. `queues.py` runs the work that waits for another process, so that other requests do not wait too.
5. `sessions.py` finds the game by its id; `session.py` carries out moves, and gets hints from `web/agents/`.
   `saved_game.py` writes its turns for the browser, which sends them back if the server no longer has the game.
6. An `ApiError` of `api_error.py` becomes the response `{"error": message}`.
"""
