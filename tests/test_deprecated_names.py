"""Names that were public once can still be had until 0.3."""

from __future__ import annotations

from audience import agents, datasets, llm, recommenders


def test_old_names_mean_the_new_things() -> None:
    assert llm.Message is llm.ChatMessage
    assert llm.Door is llm.GatewayStack
    assert recommenders.Nothing is recommenders.NoRecommender
    assert recommenders.Search is recommenders.ItemSearch
    assert agents.TouchedMind is agents.AssistedMind
    assert datasets.Tables is datasets.MappedTables
    assert datasets.Choices is datasets.SourceOptions
    assert datasets.Fitted is datasets.ActivityFit
    assert datasets.Found is datasets.RecognisedDataset
    assert datasets.Skipped is datasets.SkippedLines
