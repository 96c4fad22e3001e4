"""Everything built in, through the public hooks only."""

BUILT_IN = frozenset(
    {
        "agents.basic",
        "agents.chain",
        "agents.exact",
        "agents.ibm",
        "agents.improved_probabilistic",
        "agents.knowledge_base",
        "agents.local_probability",
        "agents.probabilistic",
        "agents.random",
        "agents.triples",
        "agents.trusting",
        "boards.clustered",
        "boards.file",
        "boards.no_guess",
        "boards.uniform",
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
        "scores.influence",
        "scores.standard",
    }
)
"""The modules that come with the package. What they offer is identified by its `version`, which golden games pin; any
other file in these folders was dropped in by somebody, and is identified by its text."""
