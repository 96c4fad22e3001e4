"""The built-in plugins, which use the public hooks only."""

BUILT_IN = frozenset(
    {
        "agents.basic",
        "agents.bounds",
        "agents.chain",
        "agents.champion",
        "agents.exact",
        "agents.ibm",
        "agents.improved_probabilistic",
        "agents.knowledge_base",
        "agents.learned",
        "agents.llm",
        "agents.local_probability",
        "agents.probabilistic",
        "agents.random",
        "agents.triples",
        "agents.trusting",
        "boards.clustered",
        "boards.file",
        "boards.no_guess",
        "boards.uniform",
        "executors.dask",
        "executors.local",
        "executors.serial",
        "noise.cautious",
        "noise.exact_clues",
        "noise.hidden",
        "noise.liar",
        "noise.optimistic",
        "reports.csv",
        "reports.html",
        "reports.json",
        "reports.latex",
        "reports.markdown",
        "scores.guessing",
        "scores.influence",
        "scores.review",
        "scores.spending",
        "scores.standard",
        "scores.proofs",
        "scores.stuck",
    }
)
"""The plugins that come with the package. Their offers are identified by their `version`, which golden games pin; a
plugin in any other file in these folders is identified by a hash of the file."""
NOT_REPEATABLE = frozenset({"llm"})
"""The built-in agents that may play a game differently each time: those with `repeatable = False`."""
