"""How ready each model class is for pipeline parallelism."""
