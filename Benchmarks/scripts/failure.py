"""The error that ends a measurement."""


class MeasurementFailed(Exception):
    """A contender did not behave as the measurement requires, so there are no figures."""
