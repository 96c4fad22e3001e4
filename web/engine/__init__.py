"""The exact engine and the referee as a WebAssembly module: `python -m sweepstakes.web.engine.build` makes it."""
