"""One way to tell a result: intervals, tables, figures, and files that appear whole."""
