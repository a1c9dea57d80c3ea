"""Results as a page for browsers: in a file, in a notebook, or from a server."""

from fibermsk.view.browser.content import kept_frames as kept_frames
from fibermsk.view.browser.write import page_text as page_text, write_page as write_page
