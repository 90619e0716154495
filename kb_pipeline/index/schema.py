"""The collection of a knowledge base: its fields, full-text functions and indexes.

Limits of VARCHAR count bytes on a server and are kept as bytes everywhere. The token fields hold tokens joined by
spaces, alphanumeric only: the `standard` analyzer of Lite and server then cuts them alike.
"""

from __future__ import annotations

from typing import Any

from pymilvus import DataType, Function, FunctionType, MilvusClient

from kb_pipeline.index.vectors import EXTRA

TEXT_BYTES = 65_535  # longest VARCHAR of Milvus
JSON_BYTES = 60_000  # of 65,536 that a server takes
ID_BYTES = 192  # document id (about 60), version, ordinal
NAME_BYTES = 128
IDENTIFIER_BYTES = 128
PHRASE_BYTES = 1024  # a keyword, question or tag
IDENTIFIERS, PHRASES, SECTIONS = 4096, 256, 4096  # maximum number of elements of the arrays; 4096 is Milvus' limit

DENSE, COARSE, FINE = "dense", "coarse_bm25", "fine_bm25"
METRIC = "IP"  # of the dense vectors: unit vectors and what vectors.py adds
VECTOR_FIELDS = (DENSE, COARSE, FINE)  # what is searched; an index of each has its field's name
BM25_K1, BM25_B = 1.2, 0.75  # Robertson's usual values, Lite's own defaults
HNSW_M, HNSW_EF_CONSTRUCTION = 16, 200  # Milvus' documented defaults

ANALYZER = {"tokenizer": "standard", "filter": ["lowercase"]}


def collection_schema(dimension: int) -> Any:
    """Schema of a collection for embeddings of that dimension.

    Fields: `id` (primary key, see rows.py), `document` (id), `version`, `ordinal`, `kind`, `page` (first page, 0 for
    none), `tokens` (count), `text`, `breadcrumb`, `locators`, `added` (JSON objects `{"l": […]}`: a server refuses a
    list), `picture` (part name of a figure's crop), `section_ids`, `ids` (canonical identifiers in the text),
    `coarse`, `fine` (tokens), `keywords`, `questions`, `summary`, `tags`, and the vectors.
    """
    schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)

    def varchar(name: str, limit: int, **options: Any) -> None:
        schema.add_field(name, DataType.VARCHAR, max_length=limit, **options)

    def array(name: str, limit: int, capacity: int) -> None:
        schema.add_field(name, DataType.ARRAY, element_type=DataType.VARCHAR, max_length=limit, max_capacity=capacity)

    varchar("id", ID_BYTES, is_primary=True)
    for name in ("document", "version", "kind"):
        varchar(name, NAME_BYTES)
    for name in ("ordinal", "page", "tokens"):
        schema.add_field(name, DataType.INT64)
    varchar("text", TEXT_BYTES)
    varchar("summary", TEXT_BYTES)
    varchar("picture", NAME_BYTES)
    for name in ("breadcrumb", "locators", "added"):
        schema.add_field(name, DataType.JSON)
    array("section_ids", NAME_BYTES, SECTIONS)
    array("ids", IDENTIFIER_BYTES, IDENTIFIERS)
    for name in ("keywords", "questions", "tags"):
        array(name, PHRASE_BYTES, PHRASES)
    schema.add_field(DENSE, DataType.FLOAT_VECTOR, dim=dimension + EXTRA)
    for source, target in (("coarse", COARSE), ("fine", FINE)):
        varchar(source, TEXT_BYTES, enable_analyzer=True, analyzer_params=ANALYZER)
        schema.add_field(target, DataType.SPARSE_FLOAT_VECTOR)
        schema.add_function(
            Function(f"{source}_to_bm25", FunctionType.BM25, input_field_names=[source], output_field_names=[target])
        )
    return schema


def collection_indexes(client: MilvusClient, lite: bool) -> Any:
    """Index parameters: exact search on Milvus Lite, HNSW on a server; inverted lists for both token fields."""
    indexes = client.prepare_index_params()
    if lite:
        indexes.add_index(DENSE, index_type="FLAT", metric_type=METRIC)
    else:
        parameters = {"M": HNSW_M, "efConstruction": HNSW_EF_CONSTRUCTION}
        indexes.add_index(DENSE, index_type="HNSW", metric_type=METRIC, params=parameters)
        indexes.add_index("document", index_type="INVERTED")
    for name in (COARSE, FINE):
        parameters = {"bm25_k1": BM25_K1, "bm25_b": BM25_B}
        indexes.add_index(name, index_type="SPARSE_INVERTED_INDEX", metric_type="BM25", params=parameters)
    return indexes


def dimension_of(description: dict[str, Any]) -> int:
    """Dimension of the embeddings of a described collection, 0 where it has none."""
    for field in description.get("fields", ()):
        if field["name"] == DENSE:
            return int(field["params"]["dim"]) - EXTRA
    return 0
