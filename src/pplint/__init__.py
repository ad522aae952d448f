"""pplint finds and fixes layer ids that SGLang code takes for granted under pipeline parallelism."""

__version__ = "0.1.0"
