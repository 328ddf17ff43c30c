"""People and language models as judges: one page of tasks, its sealed key, answers and tables."""
