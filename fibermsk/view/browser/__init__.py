"""Results as one page for any browser: in a file of its own, in a notebook, or from a server."""

from fibermsk.view.browser.content import kept_frames
from fibermsk.view.browser.write import page_text, write_page

__all__ = ["kept_frames", "page_text", "write_page"]
