"""Which of the fonts that a page names were replaced."""

from installed_fonts import comparable

GENERIC = {"serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui", "math", "emoji", "fangsong", "-apple-system", "blinkmacsystemfont"}
# The browser's default for unstyled text.
UNSAID = '"Times New Roman"'
# Limits the elements checked and the distinct font stacks.
STACKS = """(() => {
  const stacks = new Set();
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 20000 && stacks.size < 200 && walker.nextNode(); seen++) {
    const { data, parentElement } = walker.currentNode;
    if (parentElement !== null && /\\S/.test(data)) stacks.add(getComputedStyle(parentElement).fontFamily);
  }
  const loaded = [...document.fonts].filter(({ status }) => status === "loaded").map(({ family }) => family);
  return { stacks: [...stacks], loaded };
})()"""


def replaced(stacks, loaded, here):
    """The first family of each stack of which none is available; a stack that ends in a generic family is the page's own choice."""
    there = here | {comparable(name) for name in loaded}
    missing = []
    for stack in stacks if here else []:
        names = [name.strip(" \"'") for name in stack.split(",")]
        if stack == UNSAID or any(name.lower() in GENERIC or name.lower().startswith("ui-") or comparable(name) in there for name in names):
            continue
        missing.append(names[0])
    return list(dict.fromkeys(missing))
