"""The embedded catalogues: real works, one sentence each, in our own words."""

from audience.datasets.embedded.catalogue import (
    embedded_catalogue as embedded_catalogue,
    embedded_people as embedded_people,
    embedded_rows as embedded_rows,
)
