"""What ends a measurement."""


class MeasurementFailed(Exception):
    """Something went otherwise than it was to be measured, so there are no figures."""
