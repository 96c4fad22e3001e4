"""A tournament as it is written down: the yaml file, the model of it, and what is said of its errors."""
