"""A result as one page that any browser opens, without a server and without a network."""

from fibermsk.view.page.content import kept_frames
from fibermsk.view.page.write import page_text, write_page

__all__ = ["kept_frames", "page_text", "write_page"]
