"""ebook-convert for compiled HTML help. Calibre 6 gives these files to
its HTML reader without setting the folder it may read, and fails."""
import sys

from calibre.ebooks.conversion.cli import main
from calibre.ebooks.conversion.plugins.html_input import HTMLInput

# The sandbox's root, which contains nothing but the book.
HTMLInput.root_dir_of_input = "/"
sys.exit(main(["ebook-convert", *sys.argv[1:]]))
