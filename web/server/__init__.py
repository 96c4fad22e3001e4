"""The web server of the arena.

A request passes these modules in order:

1. `connection.py` reads it, and closes the connection if it does not arrive in time.
2. `security.py` rejects requests from other sites.
3. `app.py` finds the route and calls the method of its API; `requests.py` validates the body.
4. `queues.py` runs the work that waits for another process, so that other requests do not wait too.
5. `positions.py` answers what the engine in the page cannot: it asks `web/agents/` for turns, and keeps no game.
6. An `ApiError` of `api_error.py` becomes the response `{"error": message}`.

For a folder of runs, `folder.py` makes such an application for each run that is visited.
"""
