"""The web server of the arena.

A request passes these modules in order:

1. `security.py` rejects requests from other sites.
2. `app.py` finds the route and calls the method of its API; `requests.py` validates the body.
3. `queues.py` runs the work that waits for a host of agents, so that other requests do not wait too.
4. `sessions.py` finds the game by its id; `session.py` carries out moves, and gets hints from `web/agents/`.
5. An `ApiError` of `api_error.py` becomes the response `{"error": message}`.
"""
