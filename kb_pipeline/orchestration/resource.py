"""The installation that a run works on, as a Dagster resource."""

# no postponed annotations here: Dagster reads the fields off the class

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dagster as dg
from pydantic import Field

from kb_pipeline.engine.context import Context, Progress
from kb_pipeline.engine.stage import Stage
from kb_pipeline.settings import Settings, load_settings
from kb_pipeline.stages.pipeline import open_context

RESOURCE = "knowledge_base"
"""Name under which assets and schedules ask for it."""


class KnowledgeBaseResource(dg.ConfigurableResource):
    """One installation: the folder of everything it keeps, and settings on top of its kb.toml and KB_* variables."""

    home: str = Field(default="", description="Folder of the installation; empty for KB_HOME.")
    storage: str = Field(default="", description="Where artefacts go, as storage.uri; empty for what the settings say.")
    settings: dict[str, Any] = Field(
        default={}, description='Further settings, such as {"chunking.chunk_tokens": 256}.'
    )

    def load(self) -> Settings:
        """Its settings.

        Raises:
            InvalidSetting: kb.toml, a KB_* variable or a setting of this resource is unknown or not allowed.
        """
        own = {**self.settings, **({"storage.uri": self.storage} if self.storage else {})}
        return load_settings(own, Path(self.home).resolve() if self.home else None)

    def open(
        self, pipeline: tuple[Stage, ...] | None = None, listen: Callable[[Progress], None] | None = None
    ) -> Context:
        """A context to run those stages in, by default all; the caller closes it."""
        return open_context(self.load(), listen, pipeline)
