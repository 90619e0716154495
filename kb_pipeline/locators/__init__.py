"""Where a piece came from, by kind of document: one module a kind, and the union that all records carry."""

from __future__ import annotations

from kb_pipeline.locators.cells import CellLocator
from kb_pipeline.locators.element import ElementLocator
from kb_pipeline.locators.lines import LineLocator
from kb_pipeline.locators.page import PageLocator
from kb_pipeline.locators.paragraphs import ParagraphLocator
from kb_pipeline.locators.slide import SlideLocator

Locator = PageLocator | ParagraphLocator | CellLocator | SlideLocator | ElementLocator | LineLocator
"""Every kind of place; a further one is its module and its name here."""
