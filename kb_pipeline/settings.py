"""One typed Settings: defaults, then kb.toml in KB_HOME, then KB_* variables, then a knowledge base's own values.

Variables name the group and the key with two underscores between: `KB_CHUNKING__CHUNK_TOKENS=256`; lists are JSON or
parted by commas, tables are JSON. Unknown keys are refused, with the list of what is allowed; only those that an older
release stored with a knowledge base are left aside. `KB_HOME` and `KB_MODELS` are places, not settings.

A secret is written out, or as `env:NAME`, the variable that holds it at use.
"""

# Not pydantic-settings: it knows neither the last layer, a knowledge base's own values under dotted keys, of which some
# may be of an older release, nor lists with commas, and it passes over unknown variables that begin with KB_.

from __future__ import annotations

import difflib
import fnmatch
import json
import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, PrivateAttr, SecretStr, ValidationError, field_validator
from pydantic.fields import FieldInfo

from kb_pipeline.choices import CHUNK_MODES, EMBEDDING_PROVIDERS, RERANKERS
from kb_pipeline.errors import HomeUnwritable, InvalidSetting
from kb_pipeline.text.credentials import HIDDEN, hide_credentials, holds_credentials
from kb_pipeline.text.drop_reasons import DropReason

PLACES = ("KB_HOME", "KB_MODELS")
REFERENCE = "env:"  # begins the name of a variable that holds a secret
WRITABLE_HOME = "set KB_HOME to a folder that can be written"
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600  # rights of what may hold secrets: the user's own
OF_INSTALLATION = ("storage", "pipeline")  # groups that no knowledge base has values of its own of
# options of stores that are no secrets; the words of any other option are shown as ***, since each store names its own
OPEN_OPTIONS = frozenset(
    {"endpoint_url", "region_name", "region", "host", "protocol", "mode", "project", "account_name"}
)


def _one_of(names: Mapping[str, object], *more: str) -> AfterValidator:
    """A name of a registry of choices, or one of `more`; looked up at each check, since a registry may grow."""

    def check(name: str) -> str:
        if name not in (*more, *names):
            raise ValueError(f"it is one of {', '.join((*more, *names))}")
        return name

    return AfterValidator(check)


class Group(BaseModel, extra="forbid", frozen=True):
    """A group of settings: immutable, unknown keys refused."""


class RenderSettings(Group, frozen=True):
    """page_renders.

    Attributes:
        dpi: resolution of the picture that the models see.
        pixel_budget: maximum number of pixels of one page's picture, estimated before anything is allocated.
        picture_dpi: resolution of the kept display picture.
        picture_quality: JPEG quality of the kept display picture.
        password: tried on encrypted files.
    """

    dpi: int = Field(default=216, ge=36, le=600)
    pixel_budget: int = Field(default=48_000_000, ge=100_000)
    picture_dpi: int = Field(default=110, ge=36, le=300)
    picture_quality: int = Field(default=82, ge=30, le=100)
    password: SecretStr = SecretStr("")


class ParserSettings(Group, frozen=True):
    """What reads the pages of PDFs and pictures.

    Attributes:
        engine: `local` (the models of this installation) or `remote` (a PP-StructureV3 layout-parsing service).
        base_url: the service's address; `/layout-parsing` is added where it is missing.
        revision: names the service's models; pages are read again when it changes, not when the address does.
        token: sent as `Authorization: token …` where it is set.
        pages: maximum number of pages of a PDF in one request; services answer for 10 unless their limit was raised.
        chart_recognition: let the service read charts as tables.
        orientation_classify: let the service turn pages upright.
        timeout_s: longest silence of the service, which is silent while it reads.
        deadline_s: longest wait for a document, retries and pictures included.
    """

    engine: Literal["local", "remote"] = "local"
    base_url: str = ""
    revision: str = ""
    token: SecretStr = SecretStr("")
    pages: int = Field(default=10, ge=1, le=1000)
    chart_recognition: bool = False
    orientation_classify: bool = True
    timeout_s: float = Field(default=300.0, gt=0)
    deadline_s: float = Field(default=1800.0, gt=0)
    max_retries: int = Field(default=2, ge=0, le=10)


class OcrSettings(Group, frozen=True):
    """Lines of a page.

    Attributes:
        models: `small` (quality) or `tiny` (2.5 x faster detection, 5 x faster recognition).
        detection_side: longest side in pixels that the detector sees.
        least_score: recognised lines below this mean probability are dropped, with that reason.
        orientation: turn scanned pages that stand on their side or head.
    """

    models: Literal["small", "tiny"] = "small"
    detection_side: int = Field(default=1280, ge=320, le=4096)
    least_score: float = Field(default=0.5, ge=0, le=1)
    orientation: bool = True


class LayoutSettings(Group, frozen=True):
    """Regions of a page. `threshold`: minimum model score of a region."""

    threshold: float = Field(default=0.4, ge=0.05, le=0.95)


class TableSettings(Group, frozen=True):
    """Table grids. `second_opinion`: let a second model compete where the first is unsure."""

    second_opinion: bool = True


class AssemblySettings(Group, frozen=True):
    """Sections. `keep`: drop reasons that are switched off, so that such text stays in the sections."""

    keep: tuple[DropReason, ...] = ()


ChunkMode = Annotated[str, _one_of(CHUNK_MODES)]


class ChunkingSettings(Group, frozen=True):
    """Chunks.

    Attributes:
        mode: how sections become chunks.
        modes: other modes for some documents, as `pattern=mode`. A pattern is a path in the knowledge base, or one
            with `*`, `?`, `[…]`; a path that is named whole counts first, then the first pattern that fits.
        chunk_tokens: soft limit of a chunk in tokens of the embedding model.
        overlap: share of a chunk's tokens repeated at the head of the next, cut at a sentence.
        context_tokens: tokens of text before, and as many after, a table, figure or formula that its chunk repeats.
        child_delimiters: text between these is found by itself, and the whole chunk returned; `\\n` is a line end.
        window, window_overlap: characters of a window and of its overlap, in mode `sliding_window`.
    """

    mode: ChunkMode = "manual"
    modes: tuple[str, ...] = ()
    chunk_tokens: int = Field(default=512, ge=32, le=8192)
    overlap: float = Field(default=0.0, ge=0, le=0.5)
    context_tokens: int = Field(default=0, ge=0, le=1024)
    child_delimiters: tuple[str, ...] = ()
    window: int = Field(default=300, ge=50, le=10_000)
    window_overlap: int = Field(default=120, ge=0, le=5000)

    @field_validator("modes")
    @classmethod
    def _known_modes(cls, rules: tuple[str, ...]) -> tuple[str, ...]:
        for rule in rules:
            pattern, _, mode = rule.rpartition("=")
            if not pattern or mode not in CHUNK_MODES:
                raise ValueError(f"{rule!r} is not of the form pattern=mode with a mode of {', '.join(CHUNK_MODES)}")
        return rules

    @field_validator("child_delimiters")
    @classmethod
    def _line_ends(cls, delimiters: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(d.replace("\\n", "\n") for d in delimiters if d)

    def for_document(self, path: str) -> ChunkingSettings:
        """These settings with the mode that holds for a document, and no rules left."""
        rules = [rule.rpartition("=")[::2] for rule in self.modes]
        found = [mode for pattern, mode in rules if pattern == path]
        found += [mode for pattern, mode in rules if matches(path, pattern)]
        return self.model_copy(update={"mode": (found or [self.mode])[0], "modes": ()})


def matches(path: str, pattern: str) -> bool:
    """Whether a document's path is a pattern, or fits its wildcards (`*` reaches over `/`)."""
    return path == pattern or fnmatch.fnmatchcase(path, pattern)


class LlmSettings(Group, frozen=True):
    """An OpenAI-compatible chat endpoint; off while `base_url` is empty.

    Attributes:
        timeout_s: longest silence of the service.
        deadline_s: longest wait for a whole answer, retries included.
    """

    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    model: str = ""
    timeout_s: float = Field(default=60.0, gt=0)
    deadline_s: float = Field(default=300.0, gt=0)
    max_retries: int = Field(default=2, ge=0, le=10)


class EmbeddingSettings(Group, frozen=True):
    """Vectors.

    Attributes:
        provider: `local` (bundled model) or `openai` (any OpenAI-compatible endpoint).
        base_url, model: of the endpoint. The same model at another address gives the same vectors.
        revision: names the version of the model; texts are embedded again when it changes.
        dimension: length of a vector; 0 asks the model.
        batch: texts per request to the endpoint.
        max_tokens: maximum number of tokens of a text that the endpoint's model takes (the local model knows its own).
        query_prefix, passage_prefix: put before texts sent to the endpoint.
    """

    provider: Annotated[str, _one_of(EMBEDDING_PROVIDERS)] = "local"
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    model: str = ""
    revision: str = ""
    dimension: int = Field(default=0, ge=0)
    batch: int = Field(default=64, ge=1, le=2048)
    max_tokens: int = Field(default=512, ge=32)
    query_prefix: str = ""
    passage_prefix: str = ""
    timeout_s: float = Field(default=60.0, gt=0)
    max_retries: int = Field(default=4, ge=0, le=10)


VECTOR_SETTINGS = (
    "embedding.provider", "embedding.model", "embedding.revision", "embedding.dimension", "embedding.query_prefix",
    "embedding.passage_prefix",
)  # fmt: skip
"""What shapes a vector. Where the model runs is not among them: the same model gives the same vectors anywhere."""


class IndexSettings(Group, frozen=True):
    """Milvus.

    Attributes:
        uri: empty for Milvus Lite in KB_HOME, else a server's address; `token` where it asks for one.
        idle_exit_s: Milvus Lite's process ends after so many seconds without a client; 0 for never. It starts again
            by itself, with the value of that time.
        user_words: Chinese words of the field that full-text search keeps whole.
    """

    uri: str = ""
    token: SecretStr = SecretStr("")
    idle_exit_s: float = Field(default=1800.0, ge=0)
    user_words: tuple[str, ...] = ()


class QuerySettings(Group, frozen=True):
    """Retrieval.

    Attributes:
        fusion: how the legs become one score (query/fusion.py says what each preset does).
        vector_weight: w in `(1 - w) * term + w * vector`; the preset's own where none is set.
        candidates: hits asked of each leg of the hybrid search.
        threshold: minimum score of a hit.
    """

    fusion: Literal["windowed", "weighted", "rrf", "rrf-4-1", "vector", "full-text"] = "windowed"
    vector_weight: float | None = Field(default=None, ge=0, le=1)

    candidates: int = Field(default=100, ge=10, le=1000)
    threshold: float = Field(default=0.2, ge=0, le=1)


class RerankSettings(Group, frozen=True):
    """A second look at the best hits.

    Attributes:
        provider: `rules`, `endpoint` (Jina, Cohere, vLLM form of /rerank), `onnx` (a folder of one's own), or `none`.
        base_url, api_key: of the endpoint.
        model: the endpoint's model name, or the folder with model.onnx and tokenizer.json.
        window: hits that are looked at.
        weight: of the rerank score beside the fused one; 1 for rules and 0.7 for models where none is set.
    """

    provider: Annotated[str, _one_of(RERANKERS, "none")] = "none"
    base_url: str = ""
    api_key: SecretStr = SecretStr("")
    model: str = ""
    window: int = Field(default=64, ge=1, le=1000)
    weight: float | None = Field(default=None, ge=0, le=1)
    timeout_s: float = Field(default=30.0, gt=0)


class EvaluationSettings(Group, frozen=True):
    """`kb eval` and the assets of group `scores`.

    Attributes:
        sample: chunks that self-recall asks for.
        questions: file of questions (JSON lines) where none is named.
    """

    sample: int = Field(default=100, ge=1, le=100_000)
    questions: str = ""


class StorageSettings(Group, frozen=True):
    """Artefacts. `uri`: empty for a folder in KB_HOME, else any fsspec address such as `s3://bucket/prefix`."""

    uri: str = ""
    options: dict[str, Any] = {}
    keep_versions: int = Field(default=5, ge=1)


class PipelineSettings(Group, frozen=True):
    """How work is spread. `workers`: page workers of a process, 0: one per core. `batch`: documents per Dagster run."""

    workers: int = Field(default=0, ge=0, le=64)
    batch: int = Field(default=200, ge=1, le=10_000)


class Settings(Group, frozen=True):
    """Everything that can be set, by group."""

    render: RenderSettings = RenderSettings()
    parser: ParserSettings = ParserSettings()
    ocr: OcrSettings = OcrSettings()
    layout: LayoutSettings = LayoutSettings()
    tables: TableSettings = TableSettings()
    assembly: AssemblySettings = AssemblySettings()
    chunking: ChunkingSettings = ChunkingSettings()
    llm: LlmSettings = LlmSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    index: IndexSettings = IndexSettings()
    query: QuerySettings = QuerySettings()
    rerank: RerankSettings = RerankSettings()
    evaluation: EvaluationSettings = EvaluationSettings()
    storage: StorageSettings = StorageSettings()
    pipeline: PipelineSettings = PipelineSettings()
    _home: Path = PrivateAttr(default_factory=lambda: home())

    @property
    def home(self) -> Path:
        """The folder of the installation that these settings are for; a place, no setting."""
        return self._home

    def merged(self, overrides: Mapping[str, Any]) -> Settings:
        """A copy with dotted keys replaced, e.g. `{"chunking.chunk_tokens": 256}`.

        Raises:
            InvalidSetting: an unknown key or a value that is not allowed; the message lists what is.
        """
        tree = self.model_dump()
        for key, value in overrides.items():
            group, _, name = key.partition(".")
            if key not in setting_names():
                raise _unknown(key)
            tree[group][name] = value
        return _validated(tree)._at(self.home)

    def with_stored(self, stored: Mapping[str, Any], overrides: Mapping[str, Any] | None = None) -> Settings:
        """A copy with a knowledge base's stored values, those that this release cannot use left aside (`unusable`), and
        `overrides` on top.

        Raises:
            InvalidSetting: of `overrides`, as `merged`.
        """
        unused = unusable(stored)
        return self.merged({**{k: v for k, v in stored.items() if k not in unused}, **(overrides or {})})

    def _at(self, folder: Path) -> Settings:
        # private attributes of frozen pydantic models can be set
        self._home = folder  # pyright: ignore[reportAttributeAccessIssue]
        return self

    def slice(self, keys: tuple[str, ...]) -> dict[str, Any]:
        """Values of the named groups (`chunking`) and keys (`embedding.model`) as plain JSON, secrets and credentials
        in addresses left out: what a stage's fingerprint covers."""
        found = {}
        for key in keys:
            group, _, name = key.partition(".")
            values = getattr(self, group).model_dump(mode="json")
            for k in [name] if name else values:
                if not _is_secret(group, k):
                    value = values[k]
                    found[f"{group}.{k}"] = hide_credentials(value) if isinstance(value, str) else value
        return found


def unusable(stored: Mapping[str, Any]) -> dict[str, str]:
    """Stored values that this release cannot use, by key, with the reason; those of a release before, mostly."""
    found = {}
    for key, value in stored.items():
        if key not in setting_names():
            found[key] = UNKNOWN
            continue
        try:
            Settings().merged({key: value})
        except InvalidSetting as error:
            found[key] = error.message
    return found


UNKNOWN = "unknown setting"


def reveal(secret: SecretStr) -> str:
    """The secret itself, from the variable that it names where it is a reference.

    Raises:
        InvalidSetting: that variable is not set.
    """
    return _resolved(secret.get_secret_value())


def reveal_options(options: Any) -> Any:
    """Options of a store with every reference in them resolved. Raises as `reveal`."""
    if isinstance(options, Mapping):
        return {key: reveal_options(value) for key, value in options.items()}
    return _resolved(options) if isinstance(options, str) else options


def _resolved(value: str) -> str:
    if not value.startswith(REFERENCE):
        return value
    name = value.removeprefix(REFERENCE)
    if not os.environ.get(name):
        raise InvalidSetting(f"the variable {name}, which a setting names, is not set", remedy=f"export {name}=…")
    return os.environ[name]


def shown(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by dotted key as they may be shown: secrets as `***`, references to variables as they are."""
    return {key: _shown(key, value) for key, value in values.items()}


def _shown(key: str, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            name: value[name] if _is_open(name, value[name]) else _shown(f"{key}.{name}", value[name]) for name in value
        }
    if isinstance(value, list | tuple):
        return [_shown(key, one) for one in value]
    text = value.get_secret_value() if isinstance(value, SecretStr) else value
    if not isinstance(text, str):
        return text
    group, _, name = key.partition(".")
    secret = _is_secret(group, name) or "." in name or key not in setting_names()
    return HIDDEN if secret and text and not text.startswith(REFERENCE) else hide_credentials(text)


def _is_open(name: str, value: Any) -> bool:
    return name in OPEN_OPTIONS and isinstance(value, str) and not holds_credentials(value)


def holds_secrets(values: Mapping[str, Any]) -> bool:
    """Whether a secret is written out in settings by dotted key."""
    return any(_shown(key, value) != _plain(value) for key, value in values.items())


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def setting_names() -> tuple[str, ...]:
    """Every setting as `group.key`, in order."""
    return tuple(f"{group}.{key}" for group in Settings.model_fields for key in _fields(group))


def _fields(group: str) -> dict[str, FieldInfo]:
    """The settings of a group, by key."""
    kind = Settings.model_fields[group].annotation
    return kind.model_fields if isinstance(kind, type) and issubclass(kind, Group) else {}


def home() -> Path:
    """The folder that holds everything of one installation (`KB_HOME`, default `.kb` in the working directory)."""
    return Path(os.environ.get("KB_HOME") or ".kb").resolve()


def make_home(folder: Path) -> Path:
    """The folder of an installation, made where it is not there yet: the user's own then, since it may hold secrets.

    Raises:
        HomeUnwritable: it cannot be made, or nothing can be written into it.
    """
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
    except OSError as error:
        raise HomeUnwritable(f"KB_HOME {folder} cannot be made: {error.strerror}", remedy=WRITABLE_HOME) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise HomeUnwritable(f"KB_HOME {folder} cannot be written", remedy=WRITABLE_HOME)
    return folder


def models_dir() -> Path:
    """Where weight files lie: `KB_MODELS`, else deepdoc_models/ of the checkout that the package runs from, else a
    folder of the user's own, which all installations from wheels share."""
    if own := os.environ.get("KB_MODELS"):
        return Path(own).resolve()
    checkout = Path(__file__).parent.parent / "deepdoc_models"
    if checkout.is_dir():
        return checkout.resolve()
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return (Path(data) / "kb_pipeline" / "models").resolve()


def load_settings(overrides: Mapping[str, Any] | None = None, at: Path | None = None) -> Settings:
    """Settings of the installation in the folder `at` (`KB_HOME` where none is given), with `overrides` on top.

    Raises:
        InvalidSetting: kb.toml, a KB_* variable or an override names something unknown or not allowed.
    """
    folder = at or home()
    values = {**toml_settings(folder), **_from_environment(os.environ), **(overrides or {})}
    return Settings()._at(folder).merged(values)


def toml_settings(folder: Path) -> dict[str, Any]:
    """What the kb.toml of an installation sets, by dotted key; nothing where there is none.

    Raises:
        InvalidSetting: it is not valid TOML, or holds a value outside of a group.
    """
    path = folder / "kb.toml"
    try:
        tree = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSetting(f"{path} is not valid TOML: {error}", remedy="mend the file") from error
    flat = {}
    for group, keys in tree.items():
        if not isinstance(keys, dict):
            raise _unknown(group)
        flat.update({f"{group}.{key}": value for key, value in keys.items()})
    return flat


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    found = {}
    for name, value in sorted(environ.items()):
        if name.startswith("KB_") and name not in PLACES:
            key = name[3:].lower().replace("__", ".", 1)
            found[key] = _read(key, value) if key in setting_names() else value
    return found


def parse_assignments(assignments: tuple[str, ...], of_knowledge_base: bool = False) -> dict[str, Any]:
    """`("chunking.chunk_tokens=256", …)` as a dotted dictionary, checked; a key without its group is enough where
    only one group has it.

    Args:
        of_knowledge_base: refuse those that hold for an installation as a whole.

    Raises:
        InvalidSetting: no `=`, an unknown key, or a value that is not allowed.
    """
    found = {}
    for text in assignments:
        key, sign, value = text.partition("=")
        if not sign:
            raise InvalidSetting(f"{text!r} is not of the form group.key=value")
        key = full_name(key)
        if key not in setting_names():
            raise _unknown(key)
        if of_knowledge_base and key.startswith(OF_INSTALLATION):
            raise InvalidSetting(f"{key} holds for all knowledge bases", remedy="set it in kb.toml or a variable")
        found[key] = _read(key, value)
    Settings().merged(found)
    return found


def full_name(key: str) -> str:
    """A setting's name with its group, where only one group has that key; else the key as it is."""
    same = [name for name in setting_names() if name.partition(".")[2] == key]
    return same[0] if len(same) == 1 else key


def _read(key: str, text: str) -> Any:
    """The value that a text stands for: lists as JSON or with commas, tables as JSON; pydantic reads all else.

    Raises:
        InvalidSetting: a list or table that is no JSON.
    """
    group, _, name = key.partition(".")
    kind = str(_fields(group)[name].annotation)
    if not kind.startswith(("tuple", "dict")):
        return text
    if kind.startswith("tuple") and not text.lstrip().startswith("["):
        return [part.strip() or part for part in text.split(",") if part]
    try:
        return json.loads(text)
    except ValueError as error:
        form = "a list as JSON or with commas" if kind.startswith("tuple") else 'a table as JSON: {"name": "value"}'
        raise InvalidSetting(f"{key}: the value is no JSON ({error})", remedy=f"write {form}") from error


def _is_secret(group: str, key: str) -> bool:
    return group in Settings.model_fields and key in _fields(group) and _fields(group)[key].annotation is SecretStr


def _validated(tree: dict[str, Any]) -> Settings:
    try:
        return Settings.model_validate(tree)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"][:2])
        given = _shown(key, first["input"])
        raise InvalidSetting(f"{key}: {first['msg']} (given: {given!r})") from None  # the cause quotes the input


def _unknown(key: str) -> InvalidSetting:
    names = setting_names()
    near = difflib.get_close_matches(key, names, n=1) or [n for n in names if n.endswith("." + key)]
    hint = f"did you mean {near[0]}? " if near else ""
    return InvalidSetting(f"unknown setting {key!r}", remedy=f"{hint}allowed: {', '.join(names)}")
