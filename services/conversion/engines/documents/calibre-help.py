"""ebook-convert for compiled HTML help. Calibre 6 lends such files its reader of HTML without saying which folder that may read, and fails."""
import sys

from calibre.ebooks.conversion.cli import main
from calibre.ebooks.conversion.plugins.html_input import HTMLInput

# Of the sandbox, which holds nothing but the book.
HTMLInput.root_dir_of_input = "/"
sys.exit(main(["ebook-convert", *sys.argv[1:]]))
