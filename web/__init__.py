"""The arena in the browser: play with hints, watch stored games, read the leaderboard; or a static site of a run.

- `cli/serve.py`: the command `sweepstakes serve`.
- `server/`: the web server. `app.py` has the routes, `positions.py` the questions that the pages ask.
- `agents/`: the processes in which agents run, and the requests to them.
- `data/`: the JSON data of the pages, for the server and for the static site.
- `site/`: the pages of a run as files for any web host.
- `engine/`: compiles the kernels to WebAssembly for the pages.
- `static/`: the pages themselves, ES modules without a build step. `main.js` is the entry, `api.js` fetches the data,
  `local_games.js` plays the games of a person. To follow how a hint is computed, start there.
"""
