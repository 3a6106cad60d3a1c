"""Weighted ranks on the CPU."""

import weights


def test_weighted_ranks_are_those_of_networkx_and_scipy():
    references = weights.references()
    assert sum(scores is not None for _, _, scores in references) >= 5
    assert max(weights.compare(references, "cpu")) <= weights.CLOSE
