"""The one analysis: a small abstract interpretation whose summaries are the facts and whose conflicts are the findings."""
