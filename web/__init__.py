"""The arena in the browser: play with hints, watch stored games, read the leaderboard; or a static site of a run.

- `cli/serve.py`: the command `sweepstakes serve`.
- `server/`: the web server. `app.py` has the routes, `session.py` one game of a person. Start here to follow a hint.
- `agents/`: the processes in which agents run, and the requests to them.
- `data/`: the JSON data of the pages, for the server and for the static site.
- `site/`: the Leaderboard and Watch pages of a run as one HTML file.
- `static/`: the pages themselves, ES modules without a build step. `main.js` is the entry, `api.js` fetches the data.
"""
